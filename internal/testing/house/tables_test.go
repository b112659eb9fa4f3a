package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTables: the tests named in the tables of rules exist, and a script that is named with a line of
// it has that line. Each row of statements.md names one, or a rule whose example is a test.
func TestTables(t *testing.T) {
	all := testSources(t)
	name := regexp.MustCompile("`(Test[A-Za-z]+|[a-z-]+[.]txtar)(?:/([A-Za-z0-9_+]+)|: ([^`]+))?`")
	for page, least := range map[string]int{"docs/rip.md": 50, "docs/tape-rules.md": 150, "docs/statements.md": 120} {
		doc, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		named := name.FindAllStringSubmatch(string(doc), -1)
		for _, m := range named {
			if !all.has(m[1], m[2]) || !all.says(m[1], m[3]) {
				t.Errorf("%s: there is no %s", page, m[0])
			}
		}
		if len(named) < least {
			t.Errorf("%s: only %d names", page, len(named))
		}
		if page == "docs/statements.md" {
			eachRowNames(t, string(doc), name)
		}
	}
}

func eachRowNames(t *testing.T, doc string, name *regexp.Regexp) {
	t.Helper()
	for line := range strings.Lines(doc) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if !strings.HasPrefix(line, "| ") || slices.Contains(cells, "test") {
			continue
		}
		if last := cells[len(cells)-1]; !name.MatchString(last) && !strings.Contains(last, "](rules.md#") {
			t.Errorf("no test is named for %s", line)
		}
	}
}

// sources are all tests, as text: Go, and the archives that others are made of.
type sources struct{ code, archives string }

// endOfSource cannot be in a source.
const endOfSource = "\n\x00\n"

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
		into.WriteString("\n" + d.Name() + "\n" + string(src) + endOfSource)
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

// says reports whether the script of the name has these words in one of its lines.
func (s sources) says(name, words string) bool {
	_, script, found := strings.Cut(s.archives, "\n"+name+"\n")
	if words == "" || !found {
		return words == ""
	}
	if end := strings.Index(script, endOfSource); end >= 0 {
		script = script[:end]
	}
	return strings.Contains(script, words)
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
