package gitindex

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestLeftOut has git leave out files of a sparse checkout, with and without a sparse index.
func TestLeftOut(t *testing.T) {
	dir := repository(t)
	for _, name := range []string{"root.go", "a/b/c.go", "a/d.go", "a0", "a.go", "b/e.go", "b/f ü.go"} {
		write(t, dir, name, "1")
	}
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "base")
	tree, ok := OpenTree(dir)
	if !ok {
		t.Fatal("no repository")
	}
	ask := func(what, name string, want, wantFolder bool) {
		t.Helper()
		if is, folder := tree.LeftOut(context.Background()).Has(filepath.Join(dir, name)); is != want || folder != wantFolder {
			t.Errorf("%s: %s is left out: %v, a folder: %v", what, name, is, folder)
		}
	}
	ask("whole", "a/d.go", false, false)
	for _, index := range []string{"--no-sparse-index", "--sparse-index"} {
		git(t, dir, "sparse-checkout", "set", "--cone", index, "b")
		ask(index, "a/d.go", true, false)
		ask(index, "a/b/c.go", true, false)
		ask(index, "a/b", true, true)
		ask(index, "a", true, true)
		ask(index, "a/gone.go", false, false)
		ask(index, "b/e.go", false, false)
		ask(index, "root.go", false, false)
		ask(index, "../work/a/d.go", true, false)
		ask(index, "../other", false, false)
		if got := tree.LeftOut(context.Background()).In(filepath.Join(dir, "a")); !slices.Equal(got, []string{"b/c.go", "d.go"}) {
			t.Errorf("%s: below a: %q", index, got)
		}
	}
	if err := os.Remove(filepath.Join(dir, "b/e.go")); err != nil { // by somebody, not by git
		t.Fatal(err)
	}
	ask("deleted", "b/e.go", false, false)
	git(t, dir, "sparse-checkout", "set", "a")
	ask("changed", "a/d.go", false, false)
	ask("changed", "b/f ü.go", true, false)
	git(t, dir, "sparse-checkout", "disable")
	ask("disabled", "b/f ü.go", false, false)
}
