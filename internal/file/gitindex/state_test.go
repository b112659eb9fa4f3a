package gitindex

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestCurrent: branch, commit, and the names of uncommitted files, whatever characters they
// contain.
func TestCurrent(t *testing.T) {
	dir := repository(t)
	git(t, dir, "checkout", "-q", "-b", "branch-é")
	if s, err := Current(context.Background(), dir); err != nil || s.Commit != "" || s.Branch != "branch-é" || len(s.Changed) > 0 {
		t.Errorf("empty: %+v, %v", s, err)
	}
	for _, name := range []string{"same.go", "changed é.go", "moved from.go", "deleted.go"} {
		write(t, dir, name, "one two three four five "+name)
	}
	at(t, dir, 1000000000)
	write(t, dir, "changed é.go", "2")
	write(t, dir, "w/new.go", "1")
	git(t, dir, "mv", "moved from.go", "moved to.go")
	if err := os.Remove(filepath.Join(dir, "deleted.go")); err != nil {
		t.Fatal(err)
	}
	s, err := Current(context.Background(), filepath.Join(dir, "w"))
	slices.Sort(s.Changed)
	if want := []string{"changed é.go", "deleted.go", "moved to.go", "w/"}; err != nil || s.Branch != "branch-é" || len(s.Commit) < 40 || !slices.Equal(s.Changed, want) {
		t.Errorf("%+v, %v; want %q", s, err, want)
	}
	git(t, dir, "checkout", "-q", "--detach")
	if s, err := Current(context.Background(), dir); err != nil || s.Branch != "" || s.Commit == "" {
		t.Errorf("detached: %+v, %v", s, err)
	}
	if _, err := Current(context.Background(), t.TempDir()); err == nil {
		t.Error("no error outside of a repository")
	}
}
