//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"handoff/internal/testing/needs"
)

// TestGroup writes in a folder whose files have its group, with a scratch folder that is
// not such a folder.
func TestGroup(t *testing.T) {
	groups, err := os.Getgroups()
	if os.Getuid() == 0 {
		groups = []int{1}
	}
	groups = slices.DeleteFunc(groups, func(g int) bool { return g == os.Getgid() })
	if err != nil || len(groups) == 0 {
		needs.Missing(t, "group", "the user is in one group only")
	}
	for _, create := range []bool{false, true} {
		x := killFile(t, true)
		dir := filepath.Dir(x.path)
		if err := errors.Join(os.Chown(dir, -1, groups[0]), os.Chmod(dir, 0o755|fs.ModeSetgid)); err != nil {
			t.Fatal(err)
		}
		path := x.path
		if create {
			path += ".new"
		}
		if err := Write(x.root, path, []byte("new"), 0o644); err != nil {
			t.Fatal(err)
		}
		st, err := os.Stat(path)
		if err != nil || int(st.Sys().(*syscall.Stat_t).Gid) != groups[0] {
			t.Errorf("%+v, %v, want group %d", st, err, groups[0])
		}
		onlyFile(t, scratchPath(x.root), ".gitignore")
	}
}
