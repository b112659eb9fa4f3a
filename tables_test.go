package handoff_test

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
