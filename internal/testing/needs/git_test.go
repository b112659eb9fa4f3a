package needs

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestCeilings: the folder of temporary files is one of the ceilings, once, after those that
// were set before.
func TestCeilings(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // on Windows
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	set := ceilings(filepath.Join(dir, "other"))
	if list := filepath.SplitList(set); list[0] != filepath.Join(dir, "other") || !slices.Contains(list, dir) || !slices.Contains(list, real) {
		t.Errorf("ceilings %q", list)
	}
	if again := ceilings(set); again != set {
		t.Errorf("%q, then %q", set, again)
	}
}
