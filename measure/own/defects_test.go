package own_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// A defect changes one place of our reader or writer. The vectors must notice each.
type defect struct{ file, right, wrong string }

// TestVectorsFindDefects builds copies of this implementation with a defect each, and
// asks them all vectors. It tries three defects, in packages that few others need, unless
// HANDOFF_DEFECTS is "all".
func TestVectorsFindDefects(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		needs.Missing(t, "go", err.Error())
	}
	list := defects
	if os.Getenv("HANDOFF_DEFECTS") != "all" {
		list = slices.DeleteFunc(slices.Clone(defects), func(d defect) bool { return d.file != "log/tape/envelope/uri.go" })
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		t.Run(d.file, func(t *testing.T) {
			file := filepath.Join(root, filepath.FromSlash(d.file))
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Count(string(src), d.right) != 1 {
				t.Fatalf("%q is not there once: choose another place", d.right)
			}
			if out, found := ask(t, file, strings.Replace(string(src), d.right, d.wrong, 1)); !found {
				t.Errorf("%q for %q: no vector fails:\n%s", d.wrong, d.right, out)
			}
		})
	}
}

// ask runs TestVectors with another text of a file. found: a vector failed.
func ask(t *testing.T, file, text string) (out string, found bool) {
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{file: changed}})
	if err = errors.Join(err, os.WriteFile(changed, []byte(text), 0o600), os.WriteFile(overlay, list, 0o600)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "test", "-vet=off", "-overlay", overlay, "-count=1", "-run", "^TestVectors$", ".")
	answer, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	out = string(answer)
	return out, strings.Contains(out, "--- FAIL: TestVectors")
}
