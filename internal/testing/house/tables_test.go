package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTables: the tests named in the tables of rules exist.
func TestTables(t *testing.T) {
	all := testSources(t)
	for page, least := range map[string]int{"docs/rip.md": 50, "docs/tape-rules.md": 150} {
		doc, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile("`(Test[A-Za-z]+|[a-z-]+[.]txtar)(?:/([A-Za-z0-9_+]+))?`").FindAllStringSubmatch(string(doc), -1)
		for _, m := range named {
			if !all.has(m[1], m[2]) {
				t.Errorf("%s: there is no %s %s", page, m[1], m[2])
			}
		}
		if len(named) < least {
			t.Errorf("%s: only %d names", page, len(named))
		}
	}
}

// sources are all tests, as text: Go, and the archives that others are made of.
type sources struct{ code, archives string }

func testSources(t *testing.T) sources {
	t.Helper()
	var code, archives strings.Builder
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		into := &code
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(path, ".txtar"):
			into = &archives
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		src, err := os.ReadFile(path)
		into.WriteString("\n" + d.Name() + "\n" + string(src))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sources{code.String(), archives.String()}
}

// has reports whether there is a test, and in any of them a subtest, whose name
// may have blanks for the underscores.
func (s sources) has(name, sub string) bool {
	if strings.HasSuffix(name, ".txtar") {
		return strings.Contains(s.archives, "\n"+name+"\n")
	}
	if !strings.Contains(s.code, "func "+name+"(t ") {
		return false
	}
	return sub == "" || strings.Contains(s.code, `"`+sub+`"`) || strings.Contains(s.code, `"`+strings.ReplaceAll(sub, "_", " ")+`"`) ||
		strings.Contains(s.archives, "\n-- "+sub+" --\n")
}

// TestAgentNames: an agent is described by its file in agents/table, from which the table of
// hosts is generated, and by a format of package transcript. Other code does not know its name. The
// lines that do have another meaning of the word, or are of programs that play an agent.
func TestAgentNames(t *testing.T) {
	files, err := filepath.Glob("agents/table/*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("%v, %v", files, err)
	}
	var names []string
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".yaml"); name != "custom" && name != "continue" { // words with other meanings, too
			names = append(names, name)
		}
	}
	literal := regexp.MustCompile(`"(` + strings.Join(names, "|") + `)"`)
	var found []string
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && (path == "agents/transcript" || path == "internal/testing" || path != "." && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.ToSlash(path) == "agents/host/table.go" || filepath.ToSlash(path) == "agents/builtin.go" {
			return err
		}
		if filepath.ToSlash(path) == "cmd/handoff/demo_story.go" {
			return nil // a story, whose agents have names
		}
		src, err := os.ReadFile(path)
		for line := range strings.Lines(string(src)) {
			if literal.MatchString(line) {
				found = append(found, path+": "+strings.TrimSpace(line))
			}
		}
		return err
	})
	if err != nil || len(found) > mostNames {
		t.Errorf("%v: %d lines with names of agents, at most %d are allowed: describe it in agents/table\n%s", err, len(found), mostNames, strings.Join(found, "\n"))
	}
}

// mostNames is the most lines with names of agents: five are of cursors of providers, one of files
// that describe a folder.
const mostNames = 8
