package regular

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestProjectOfAnotherUser: a folder of a third user above a project is not asked, nor is
// another file system.
func TestProjectOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder to another user")
	}
	dir := t.TempDir()
	theirs, mine := filepath.Join(dir, "theirs"), filepath.Join(dir, "theirs", "mine")
	below := filepath.Join(mine, "below")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(theirs, 4711, 4711); err != nil {
		t.Skip(err)
	}
	if got, want := slices.Collect(Project(below)), []string{below, mine}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	// In a folder of another user, his folders and those of this user are one project.
	if err := os.Chown(below, 4711, 4711); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(mine, 4711, 4711); err != nil {
		t.Fatal(err)
	}
	if got := slices.Collect(Project(below)); !slices.Contains(got, dir) {
		t.Errorf("ends at %q", got)
	}
	if got := slices.Collect(Project("/proc/self")); slices.Contains(got, "/") {
		t.Errorf("left the file system: %q", got)
	}
	t.Setenv("GIT_DISCOVERY_ACROSS_FILESYSTEM", "1")
	if got := slices.Collect(Project("/proc/self")); !slices.Contains(got, "/") {
		t.Errorf("with GIT_DISCOVERY_ACROSS_FILESYSTEM: %q", got)
	}
}
