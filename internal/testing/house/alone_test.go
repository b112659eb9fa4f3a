package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestAlone: the packages that .ci/run tests without the race detector start nothing that runs
// beside them, in their tests, or in what these import of ours. The detector could find nothing there.
func TestAlone(t *testing.T) {
	script, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^alone='(.*)'$`).FindSubmatch(script)
	if line == nil {
		t.Fatal(".ci/run names no packages that run alone")
	}
	seen := 0
	for _, p := range ofTests(t, strings.Fields(string(line[1]))) {
		path, _, _ := strings.Cut(p.ImportPath, " ")
		if !ours(path) || strings.HasSuffix(path, ".test") {
			continue
		}
		for _, name := range p.GoFiles {
			seen++
			file := filepath.Join(p.Dir, name)
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, what := range beside(t, file, src) {
				t.Errorf("%s: %s: take the packages that import %s out of `alone` in .ci/run", file, what, path)
			}
		}
	}
	if seen < 50 {
		t.Errorf("read only %d files", seen)
	}
}

// ofTests is the packages with their tests, and all that these import.
func ofTests(t *testing.T, packages []string) (all []goPackage) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-test", "-deps", "-json=ImportPath,Dir,GoFiles"}, packages...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// beside lists what in a file runs functions beside each other.
func beside(t *testing.T, name string, src []byte) (found []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, imp := range file.Imports {
		if path := strings.Trim(imp.Path.Value, `"`); slices.Contains([]string{"net/http", "net/http/httptest", "net"}, path) {
			found = append(found, "imports "+path)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = append(found, "a go statement")
		case *ast.SelectorExpr:
			if slices.Contains([]string{"Go", "Parallel", "RunParallel", "AfterFunc", "NotifyContext"}, n.Sel.Name) {
				found = append(found, "uses "+n.Sel.Name)
			}
		}
		return true
	})
	return found
}

func TestBeside(t *testing.T) {
	for src, want := range map[string]int{
		"func f() {}":                           0,
		"func f() { go g() }":                   1,
		"func f() { w.Go(g); t.Parallel() }":    2,
		"func f() { func() { go g() }() }":      1,
		"import _ \"net/http\"\nfunc f() {}":    1,
		"func f() { g.Gone(); x := s.Paralle }": 0,
	} {
		if got := beside(t, "f.go", []byte("package p\n"+src)); len(got) != want {
			t.Errorf("%q: found %q, want %d", src, got, want)
		}
	}
}
