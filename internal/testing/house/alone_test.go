package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAlone: .ci/alone lists the packages that .ci/run tests without the race detector. These are all that start
// nothing that runs beside them, in their tests, or in what these import of ours: the detector could find nothing there.
// HANDOFF_UPDATE_HOUSE=1 writes the list.
func TestAlone(t *testing.T) {
	const file = ".ci/alone"
	tests := testsAndImports(t)
	found := map[string][]string{} // what runs beside something, by the package in which it is
	for path, p := range tests {
		if plain, _, _ := strings.Cut(path, " "); !ours(plain) || strings.HasSuffix(plain, ".test") {
			continue
		}
		for _, name := range p.GoFiles {
			for _, what := range besideIn(t, filepath.Join(p.Dir, name)) {
				found[path] = append(found[path], name+": "+what)
			}
		}
	}
	if len(found) < 50 {
		t.Errorf("only in %d packages anything runs beside anything", len(found))
	}
	alone := map[string]bool{}
	for path, p := range tests {
		if of, test := strings.CutSuffix(path, ".test"); test && ours(of) {
			alone[of] = !slices.ContainsFunc(p.Deps, func(d string) bool { return len(found[d]) > 0 })
		}
	}
	maps.DeleteFunc(alone, func(_ string, is bool) bool { return !is })
	want := strings.Join(slices.Sorted(maps.Keys(alone)), "\n") + "\n"
	if os.Getenv("HANDOFF_UPDATE_HOUSE") == "1" {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) == want {
		return
	}
	for of := range strings.Lines(string(got)) {
		of = strings.TrimSpace(of)
		for _, d := range tests[of+".test"].Deps {
			for _, what := range found[d] {
				t.Errorf("%s: with the tests of %s, %s: %s", file, of, d, what)
			}
		}
	}
	t.Errorf("HANDOFF_UPDATE_HOUSE=1 go test -run TestAlone ./internal/testing/house writes %s:\n%s", file, want)
}

// tested is a package, or its tests, with all that it imports, by themselves or through others.
type tested struct {
	ImportPath, Dir string
	GoFiles, Deps   []string
}

// testsAndImports is all of our packages, their tests, and what they import, by import path, as
// on the system on which .ci/run runs.
func testsAndImports(t *testing.T) map[string]tested {
	t.Helper()
	cmd := exec.Command("go", "list", "-test", "-deps", "-json=ImportPath,Dir,GoFiles,Deps", "./...")
	cmd.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]tested{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p tested
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[p.ImportPath] = p
	}
}

// besideIn is [beside] for a file.
func besideIn(t *testing.T, file string) []string {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return beside(t, file, src)
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
