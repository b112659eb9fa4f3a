package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestStrayRepository: a test that creates files in a temporary folder and asks where a
// project ends does not see a repository that is above that folder. Package needs sets that
// for each test binary that it is a part of.
func TestStrayRepository(t *testing.T) {
	cmd := exec.Command("go", "list", "-test", "-deps", "-json=ImportPath,Dir,ForTest,Deps", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir string
			Deps            []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		of, test := strings.CutSuffix(p.ImportPath, ".test")
		if !test || !covers("handoff/...", of) {
			continue
		}
		has := func(path string) bool {
			return slices.ContainsFunc(p.Deps, func(d string) bool { return d == path || strings.HasPrefix(d, path+" [") })
		}
		if !has("handoff/internal/file/regular") || !makesFolders(t, p.Dir) {
			continue
		}
		if found++; !has("handoff/internal/testing/needs") {
			t.Errorf("the tests of %s see a repository above the folder of temporary files: add\n\t_ \"handoff/internal/testing/needs\" // no repository above the temporary folders", of)
		}
	}
	if found < 50 {
		t.Errorf("found only %d packages whose tests use temporary folders", found)
	}
}

// makesFolders reports whether the tests in a folder create temporary folders.
func makesFolders(t *testing.T, dir string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(src, []byte(".TempDir()")) || bytes.Contains(src, []byte("MkdirTemp("))
	})
}
