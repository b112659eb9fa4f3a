package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/lint"
)

var someRules = []string{"long-document", "missing-reason", "secret"}

func TestParse(t *testing.T) {
	c, err := Parse("c", []byte("max_lines: 50\npadding: 3\nprofile: auto\nrules:\n  secret: off\n  missing-reason: error\nignore: [archive]\ncreate_metadata: false\ncompaction: handoff\n"), someRules)
	if err != nil {
		t.Fatal(err)
	}
	s := c.Settings
	if s.MaxLines != 50 || s.Padding != 3 || s.Profile != lint.Handoff|lint.Completion || s.MaxFence != lint.Defaults().MaxFence ||
		s.Severity["secret"] != lint.Off || s.Severity["missing-reason"] != lint.Error || len(c.Ignore) != 1 || c.CreateMetadata || !c.Replace {
		t.Errorf("%+v", c)
	}
	for _, src := range []string{"", "# nothing\n", "{}"} {
		c, err := Parse("c", []byte(src), someRules)
		if err != nil || c.Settings.MaxLines != 40 || c.Settings.Padding != -1 || c.Templates == "" || !c.CreateMetadata || c.Replace {
			t.Errorf("%q: %+v, %v", src, c, err)
		}
	}
}

func TestConfigStore(t *testing.T) {
	for src, want := range map[string]string{"": "files", "store: files\n": "files", "store: git:origin\n": "git:origin", "store: nats://a,b:1/S\n": "nats://a:4222,b:1/S"} {
		c, err := Parse("c", []byte(src), someRules)
		if err != nil || c.Store.String() != want {
			t.Errorf("%q: %s, %v, want %s", src, c.Store, err, want)
		}
	}
	_, err := Parse("c", []byte("# it\nstore: nats://user:secret@host/S\n"), someRules)
	if err == nil || !strings.Contains(err.Error(), "c:2:8: ") || !strings.Contains(err.Error(), "HANDOFF_STORE_CREDS") || strings.Contains(err.Error(), "secret") {
		t.Errorf("credentials: %v", err)
	}
}

// TestParseErrors wants every problem of a file, each with its place.
func TestParseErrors(t *testing.T) {
	src := strings.Join([]string{
		"max_line: 50",
		"max_lines: many",
		"profile: mine",
		"rules:",
		"  missing-reson: off",
		"  secret: fatal",
		"padding: 9",
		"templates: ../out",
		"ignore: ['[']",
		"max_lines: 3",
		"compaction: never",
	}, "\n")
	_, err := Parse(".handoff.yaml", []byte(src), someRules)
	if err == nil {
		t.Fatal("nothing was found wrong")
	}
	for _, want := range []string{
		".handoff.yaml:1:1: ", "max_lines",
		".handoff.yaml:2:12: ",
		".handoff.yaml:3:10: unknown profile \"mine\" (handoff, completion, auto)",
		".handoff.yaml:5:3: unknown rule \"missing-reson\": did you mean missing-reason?",
		".handoff.yaml:6:11: unknown severity \"fatal\" (off, note, warning, error)",
		".handoff.yaml:7:10: ",
		".handoff.yaml:8:12: ",
		".handoff.yaml:9:10: invalid glob \"[\"",
		".handoff.yaml:10:1: ",
		".handoff.yaml:11:13: unknown value \"never\" (host, handoff)",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
}

// An entry that is not text is one problem, also where its words are read.
func TestChecksThatAreNotText(t *testing.T) {
	_, err := Parse("c", []byte("checks:\n  tests: [5]\n  allow: [[go]]\n"), someRules)
	if want := "c:2:11: want text, got the number 5: put it in quotes\nc:3:11: want text, got a list"; err == nil || err.Error() != want {
		t.Errorf("%v\nwant\n%s", err, want)
	}
}

// One wrong value is one problem.
func TestSeverityOfAnotherType(t *testing.T) {
	_, err := Parse(".handoff.yaml", []byte("rules:\n  secret: 7\n"), someRules)
	if err == nil || strings.Count(err.Error(), "\n") != 0 || !strings.Contains(err.Error(), ":2:11: want text, got the number 7") {
		t.Errorf("%v", err)
	}
}

func TestIgnores(t *testing.T) {
	tests := []struct {
		glob, path string
		want       bool
	}{
		{"archive", "specs/archive/1_x/handoffs/a.md", true},
		{"archive/", "specs/archive/1_x/handoffs/a.md", true},
		{"/archive", "specs/archive/1_x/handoffs/a.md", false},
		{"specs/archive", "specs/archive/1_x/handoffs/a.md", true},
		{"specs/archive/**", "specs/archive/1_x/handoffs/a.md", true},
		{"phase-1-*.md", "specs/1_x/handoffs/phase-1-handoff.md", true},
		{"*.txt", "specs/1_x/handoffs/a.md", false},
		{"1_?", "specs/1_x/handoffs/a.md", true},
		{"archiv", "specs/archive/1_x/handoffs/a.md", false},
	}
	for _, tt := range tests {
		if got := (Config{Ignore: []string{tt.glob}}).Ignores(tt.path); got != tt.want {
			t.Errorf("%s on %s: %v", tt.glob, tt.path, got)
		}
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(dir, File)
	if err := os.WriteFile(want, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got, ok := Find(deep); !ok || got != want {
		t.Errorf("%q, %v", got, ok)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("max_lines: 50\npadding: any\nrules: {secret: off}\nignore: [a, '**/b']\n")
	f.Add("{\"profile\": \"auto\", \"max_fence_lines\": 0x10}")
	f.Add("rules:\n  - secret\nignore: {a: b}\n--- \n")
	f.Add("documents: [{preset: single, files: [], names: []}, {name: a, files: ['n/*.md'], names: ['n/{slug}.md'], headings: {state: []}}]")
	f.Fuzz(func(t *testing.T, src string) {
		c, err := Parse("c", []byte(src), someRules)
		if err != nil {
			for _, line := range strings.Split(err.Error(), "\n") {
				if !strings.HasPrefix(line, "c:") {
					t.Errorf("no place in %q", line)
				}
			}
			return
		}
		if c.Settings.MaxLines < 1 || c.Settings.Padding < -1 || c.Settings.Padding > 6 {
			t.Errorf("%q gives %+v", src, c.Settings)
		}
		c.Ignores("specs/1_x/handoffs/a.md")
	})
}
