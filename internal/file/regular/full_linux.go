package regular

import (
	"os"

	"golang.org/x/sys/unix"
)

// full reports whether the file system of a folder has no place for another small file. Some have no numbers.
func full(dir string) bool {
	const small = 64 << 10
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return false
	}
	free := st.Bavail
	if os.Geteuid() == 0 {
		free = st.Bfree
	}
	return st.Blocks > 0 && free*uint64(st.Bsize) < small || st.Files > 0 && st.Ffree == 0
}
