package handoff_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRIPTable: the tests that docs/rip.md names are there.
func TestRIPTable(t *testing.T) {
	var all strings.Builder
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(path, ".txtar"):
			all.WriteString(d.Name() + "\n")
		case strings.HasSuffix(path, "_test.go"):
			src, err := os.ReadFile(path)
			all.Write(src)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("docs/rip.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test[A-Za-z]+|[a-z-]+[.]txtar)(?:/([a-z0-9_]+))?`").FindAllStringSubmatch(string(doc), -1)
	for _, m := range named {
		name := m[1]
		if strings.HasPrefix(name, "Test") {
			name = "func " + name + "(t "
		}
		if !strings.Contains(all.String(), name) || m[2] != "" && !strings.Contains(all.String(), `"`+m[2]+`"`) {
			t.Errorf("there is no %s %s", m[1], m[2])
		}
	}
	if len(named) < 50 {
		t.Errorf("only %d names", len(named))
	}
}
