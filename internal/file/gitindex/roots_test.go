package gitindex

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"handoff/internal/testing/needs"
)

// TestRoots: clones of a repository have a root in common, whatever they have checked out;
// other repositories and folders have none with them.
func TestRoots(t *testing.T) {
	needs.Tool(t, "git")
	roots := func(dir string) []string { return Roots(t.Context(), dir) }
	one := t.TempDir()
	git(t, one, "init", "-q", "-b", "main")
	if got := roots(one); len(got) != 0 {
		t.Errorf("without a commit: %v", got)
	}
	commit := func(dir, text string) {
		if err := os.WriteFile(filepath.Join(dir, "a"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		git(t, dir, "add", "a")
		git(t, dir, "commit", "-qm", text)
	}
	commit(one, "first")
	first := roots(one)
	commit(one, "second")
	git(t, one, "checkout", "-q", "--orphan", "pages")
	commit(one, "pages")
	if got := roots(one); len(got) != 2 || got[0] == first[0] || got[1] != first[0] {
		t.Errorf("on a branch without history: %v, want the root of main, %v, after its own", got, first)
	}
	clone, shallow, other := t.TempDir(), filepath.Join(t.TempDir(), "c"), t.TempDir()
	git(t, clone, "clone", "-q", "--branch", "main", one, ".")
	if got := roots(clone); !slices.Contains(got, first[0]) {
		t.Errorf("clone: %v", got)
	}
	git(t, t.TempDir(), "clone", "-q", "--depth", "1", "--branch", "main", "file://"+one, shallow)
	git(t, other, "init", "-q")
	commit(other, "other")
	for _, dir := range []string{shallow, t.TempDir()} {
		if got := roots(dir); len(got) != 0 {
			t.Errorf("%s: %v", dir, got)
		}
	}
	if got := roots(other); len(got) != 1 || slices.Contains(roots(clone), got[0]) {
		t.Errorf("another project: %v", got)
	}
}
