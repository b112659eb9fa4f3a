package trust

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/workspace/config"
)

var noon = time.Date(2026, 2, 12, 12, 0, 0, 0, time.UTC)

// tree is a workspace with a configuration.
func tree(t *testing.T, src string) (root string, c config.Config) {
	t.Helper()
	root = t.TempDir()
	return root, parse(t, root, src)
}

func parse(t *testing.T, root, src string) config.Config {
	t.Helper()
	path := filepath.Join(root, config.File)
	write(t, path, src)
	c, err := config.Load(path, []string{"secret"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// user is the environment of a user with an own state folder.
func user(t *testing.T, more ...string) func(string) string {
	state := t.TempDir()
	return func(name string) string {
		if name == "XDG_STATE_HOME" {
			return state
		}
		if i := slices.Index(more, name); i >= 0 {
			return more[i+1]
		}
		return ""
	}
}

const acting = "store: nats://127.0.0.1:4222/S\nchecks: {allow: ['go test ...'], tests: [make check]}\n"

func TestTrust(t *testing.T) {
	root, c := tree(t, acting)
	b := Open(user(t))
	err := b.Check(root, c)
	if !errors.Is(err, ErrNotTrusted) || errors.Is(err, ErrStranger) || !strings.Contains(err.Error(), "`handoff trust "+real(root)+"`") {
		t.Errorf("a new clone: %v", err)
	}
	if _, err := b.Trust(root, c, noon); err != nil {
		t.Fatal(err)
	}
	if err := b.Check(root, c); err != nil {
		t.Errorf("after handoff trust: %v", err)
	}
	if other, oc := tree(t, acting); b.Check(other, oc) == nil {
		t.Error("another clone with the same lines is trusted")
	}
	if found, err := b.Revoke(root); !found || err != nil {
		t.Errorf("revoke: %v, %v", found, err)
	}
	if found, err := b.Revoke(root); found || err != nil {
		t.Errorf("revoke again: %v, %v", found, err)
	}
	if err := b.Check(root, c); !errors.Is(err, ErrNotTrusted) {
		t.Errorf("after revoke: %v", err)
	}
}

func TestNothingActs(t *testing.T) {
	root, c := tree(t, "max_lines: 50\nchecks: {timeout: 5s}\n")
	if err := Open(func(string) string { return "" }).Check(root, c); err != nil {
		t.Errorf("data needs trust: %v", err)
	}
}

// TestRecordIsPrivate: no other user can read or write what the user decided, and it is not
// in the repository.
func TestRecordIsPrivate(t *testing.T) {
	root, c := tree(t, acting)
	env := user(t)
	b := Open(env)
	if _, err := b.Trust(root, c, noon); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{b.dir: 0o700, filepath.Dir(b.dir): 0o700, b.file(real(root)): 0o600} {
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := st.Mode().Perm(); got != want && runtime.GOOS != "windows" {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
	src, err := os.ReadFile(b.file(real(root)))
	var r Record
	if err = errors.Join(err, json.Unmarshal(src, &r)); err != nil || r.Root != real(root) || len(r.Acts) != 3 || !r.At.Equal(noon) {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := os.Stat(filepath.Join(root, ".handoff")); err == nil {
		t.Error("something was written in the repository")
	}
	if !strings.HasPrefix(b.dir, env("XDG_STATE_HOME")) {
		t.Errorf("records are in %s", b.dir)
	}
}

// TestChangeAsksAgain changes each thing that can act, and things that cannot.
func TestChangeAsksAgain(t *testing.T) {
	for change, acts := range map[string]bool{
		"store: nats://127.0.0.1:4223/S":          true,
		"store: git:origin":                       true,
		"checks: {allow: [sh -c id]}":             true,
		"checks: {tests: [sh x]}":                 true,
		"checks: {allow: ['go test .. .']}":       true,
		"file .handoff/agents/x.yaml":             true,
		"file .handoff/templates/handoff.md.tmpl": true,
		"templates: other":                        false, // there is none
		"max_lines: 7":                            false,
		"rules: {secret: off}":                    false,
		"documents: [{preset: thoughts}]":         false,
		"file specs/1_x/handoffs/x.md":            false,
		"file .handoff/templates/other":           false,
	} {
		root, c := tree(t, acting)
		b := Open(user(t))
		if _, err := b.Trust(root, c, noon); err != nil {
			t.Fatal(err)
		}
		if name, ok := strings.CutPrefix(change, "file "); ok {
			write(t, filepath.Join(root, name), "x")
		} else if key, _, _ := strings.Cut(change, ":"); strings.Contains(acting, key+":") {
			c = parse(t, root, change+"\n")
		} else {
			c = parse(t, root, acting+change+"\n")
		}
		s, err := b.Status(root, c)
		if want := map[bool]string{true: Changed, false: Recorded}[acts]; err != nil || s.Trusted != want {
			t.Errorf("%s: %s, %v, want %s", change, s.Trusted, err, want)
		}
		if err := b.Check(root, c); (err != nil) != acts {
			t.Errorf("%s: %v", change, err)
		}
	}
}

// TestTemplateOfAnotherFolder: the key templates acts with the file that it selects.
func TestTemplateOfAnotherFolder(t *testing.T) {
	root, c := tree(t, acting)
	write(t, filepath.Join(root, "other/handoff.md.tmpl"), "x")
	b := Open(user(t))
	if _, err := b.Trust(root, c, noon); err != nil {
		t.Fatal(err)
	}
	if err := b.Check(root, parse(t, root, acting+"templates: other\n")); !errors.Is(err, ErrNotTrusted) {
		t.Errorf("%v", err)
	}
}

// TestEveryKeyThatActs: what config.Keys says of a key is what Acts does with it.
func TestEveryKeyThatActs(t *testing.T) {
	examples := map[string]string{
		"profile": "profile: auto", "max_lines": "max_lines: 5", "max_next_action_words": "max_next_action_words: 5", "max_fence_lines": "max_fence_lines: 5",
		"padding": "padding: 3", "rules": "rules: {secret: off}", "ignore": "ignore: [x]", "templates": "templates: other", "threads": "threads: true", "share": "share: [threads, tapes]",
		"create_metadata": "create_metadata: false", "keep_work": "keep_work: false", "language": "language: de", "local": "local: true", "until_merge": "until_merge: main", "compaction": "compaction: handoff", "workspace": "workspace: w", "store": "store: git:origin",
		"documents.preset": "documents: [{preset: thoughts}]", "documents.name": "documents: [{name: n, files: [a.md]}]", "documents.files": "documents: [{name: n, files: [b.md]}]",
		"documents.names": "documents: [{preset: single, names: ['x/{slug}.md']}]", "documents.chain": "documents: [{preset: single, chain: folder}]",
		"documents.title": "documents: [{preset: single, title: T}]", "documents.headings": "documents: [{preset: single, headings: {next_action: [N]}}]",
		"documents.frontmatter.known": "documents: [{preset: single, frontmatter: {known: [a]}}]", "documents.frontmatter.new": "documents: [{preset: single, frontmatter: {new: ['a: b']}}]",
		"documents.rules": "documents: [{preset: single, rules: {secret: off}}]",
		"checks.allow":    "checks: {allow: [x]}", "checks.tests": "checks: {tests: [x]}", "checks.timeout": "checks: {timeout: 3s}", "checks.output": "checks: {output: 7}",
		"runs.output": "runs: {output: 65536}",
	}
	for key := range config.Keys {
		src := examples[key]
		if src == "" {
			t.Errorf("%s has no example", key)
			continue
		}
		root, c := tree(t, src)
		write(t, filepath.Join(root, "other/handoff.md.tmpl"), "x")
		if got, want := len(Acts(root, c)) > 0, config.Keys[key] == config.Acts; got != want {
			t.Errorf("%s: it acts: %v, want %v", src, got, want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	root, c := tree(t, acting)
	other, _ := tree(t, acting)
	list := strings.Join([]string{other, root}, string(filepath.ListSeparator))
	if err := Open(user(t, Variable, list)).Check(root, c); err != nil {
		t.Errorf("a root of %s: %v", Variable, err)
	}
	for _, list := range []string{other, ".", filepath.Dir(root), ""} {
		if Open(user(t, Variable, list)).Check(root, c) == nil {
			t.Errorf("%s=%s trusts %s", Variable, list, root)
		}
	}
}

// TestLinkedRoot: a root has one record, whatever path it is reached by.
func TestLinkedRoot(t *testing.T) {
	root, c := tree(t, acting)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Skip(err)
	}
	b := Open(user(t))
	if _, err := b.Trust(link, c, noon); err != nil {
		t.Fatal(err)
	}
	if err := b.Check(root, c); err != nil {
		t.Error(err)
	}
}

// TestStranger: what another user owns is his, also a configuration or handoffs in a folder
// that anybody may write to.
func TestStranger(t *testing.T) {
	root, c := tree(t, "max_lines: 50\n")
	for _, his := range []string{root, c.Path, filepath.Join(root, "specs")} {
		b := Open(user(t))
		b.uids = []int{1000}
		b.owner = func(path string) (int, bool) {
			if path == his || path == real(his) {
				return 1001, true
			}
			return 1000, true
		}
		if err := b.Check(root, c); !errors.Is(err, ErrStranger) || !errors.Is(err, ErrNotTrusted) || !strings.Contains(err.Error(), "1001") {
			t.Errorf("%s of another user: %v", his, err)
		}
	}
	b := Open(user(t, "SUDO_UID", "1001"))
	b.uids[0] = 1000
	if slices.Contains(b.uids, 1001) && os.Geteuid() != 0 {
		t.Error("SUDO_UID counts for a user who is not root")
	}
}

// TestOwnerChanges: a root that has got another owner is another one.
func TestOwnerChanges(t *testing.T) {
	root, c := tree(t, acting)
	b := Open(user(t))
	if _, err := b.Trust(root, c, noon); err != nil {
		t.Fatal(err)
	}
	before := b.owner
	b.owner = func(path string) (int, bool) {
		if path == real(root) {
			return 4711, true
		}
		return before(path)
	}
	if err := b.Check(root, c); !errors.Is(err, ErrNotTrusted) {
		t.Errorf("%v", err)
	}
}

func TestNoPlace(t *testing.T) {
	root, c := tree(t, acting)
	b := Open(func(string) string { return "" })
	if err := b.Check(root, c); !errors.Is(err, ErrNotTrusted) {
		t.Errorf("%v", err)
	}
	if _, err := b.Trust(root, c, noon); err == nil || !strings.Contains(err.Error(), "XDG_STATE_HOME") {
		t.Errorf("%v", err)
	}
}

// TestRecordsInside: records that a workspace itself contains, as that of a home folder does,
// could be written by its agents: none is made, and none is believed.
func TestRecordsInside(t *testing.T) {
	root, c := tree(t, acting)
	outside := Open(user(t))
	if _, err := outside.Trust(root, c, noon); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(root, ".local", "state")
	home := Open(user(t))
	home.dir = filepath.Join(state, "handoff", "trust")
	if _, err := home.Trust(root, c, noon); err == nil || !strings.Contains(err.Error(), "outside of "+real(root)) {
		t.Errorf("%v", err)
	}
	record, err := os.ReadFile(outside.file(real(root)))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(home.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, home.file(real(root)), string(record))
	if err := home.Check(root, c); !errors.Is(err, ErrNotTrusted) {
		t.Errorf("with a record that an agent wrote: %v", err)
	}
	if err := Open(user(t, Variable, root)).Check(root, c); err != nil {
		t.Errorf("by the environment: %v", err)
	}
}

// TestDamagedRecord: a record that cannot be read trusts nothing.
func TestDamagedRecord(t *testing.T) {
	root, c := tree(t, acting)
	b := Open(user(t))
	if _, err := b.Trust(root, c, noon); err != nil {
		t.Fatal(err)
	}
	write(t, b.file(real(root)), "{")
	if err := b.Check(root, c); !errors.Is(err, ErrNotTrusted) || !strings.Contains(err.Error(), "handoff trust") {
		t.Errorf("%v", err)
	}
	if _, err := b.Trust(root, c, noon); err != nil || b.Check(root, c) != nil {
		t.Errorf("it is not written again: %v", err)
	}
}
