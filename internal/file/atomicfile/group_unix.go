//go:build unix

package atomicfile

import (
	"io/fs"
	"os"
	"runtime"
	"syscall"

	"handoff/internal/file/nofollow"
)

// inherit gives a file the group that it would have if it had been created in a folder:
// teams share folders whose files have the folder's group.
func inherit(f *os.File, dir *nofollow.Dir) error {
	in, err := os.Lstat(dir.Path())
	if err != nil || runtime.GOOS == "linux" && in.Mode()&fs.ModeSetgid == 0 {
		return err
	}
	st, err := f.Stat()
	if err != nil {
		return err
	}
	want, ok := in.Sys().(*syscall.Stat_t)
	if has, same := st.Sys().(*syscall.Stat_t); !ok || !same || has.Gid == want.Gid {
		return nil
	}
	return f.Chown(-1, int(want.Gid))
}
