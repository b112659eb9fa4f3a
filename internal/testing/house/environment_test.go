package house

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEnvironment compares the variables of our own that code names with those in
// docs/environment.md, in both directions. Those of tests are in CONTRIBUTING.md.
func TestEnvironment(t *testing.T) {
	variable := regexp.MustCompile(`HANDOFF_[A-Z_]*[A-Z]`)
	inCode := map[string]string{}
	err := filepath.WalkDir(".", func(file string, e fs.DirEntry, err error) error {
		switch file = filepath.ToSlash(file); {
		case err != nil:
			return err
		case e.IsDir():
			if slices.Contains([]string{"measure", "release", "internal/testing"}, file) || slices.Contains([]string{"node_modules", "testdata", "tests", "test"}, e.Name()) || strings.HasPrefix(e.Name(), ".") && file != "." {
				return fs.SkipDir
			}
			return nil
		case strings.HasSuffix(file, "_test.go") || !slices.Contains([]string{".go", ".py", ".ts"}, filepath.Ext(file)):
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		parts := []string{string(text)}
		if filepath.Ext(file) == ".go" {
			parts = literals(text)
		}
		for _, part := range parts {
			for _, name := range variable.FindAllString(part, -1) {
				inCode[name] = file
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("docs/environment.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := variable.FindAllString(string(page), -1)
	for name, file := range inCode {
		if !strings.HasPrefix(name, "HANDOFF_TEST_") && !slices.Contains(documented, name) {
			t.Errorf("%s names %s: say in docs/environment.md what it is", file, name)
		}
	}
	for _, name := range documented {
		if inCode[name] == "" {
			t.Errorf("docs/environment.md has %s, which no code names: %v", name, slices.Sorted(maps.Keys(inCode)))
		}
	}
}

// literals are the string literals of a Go file.
func literals(text []byte) (list []string) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	for {
		switch _, kind, literal := s.Scan(); kind {
		case token.EOF:
			return list
		case token.STRING:
			list = append(list, literal)
		}
	}
}
