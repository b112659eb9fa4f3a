//go:build unix

package regular

import (
	"os"
	"syscall"
)

// Owner returns the uid of the owner of a file or folder, following symlinks; not ok if it
// is missing, or on a system without owners.
func Owner(path string) (uid int, ok bool) {
	st, err := os.Stat(path)
	if err != nil {
		return -1, false
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return -1, false
	}
	return int(sys.Uid), true
}

// User is the uid of this process, -1 on a system without any.
func User() int { return os.Geteuid() }

// device is the file system that a folder is on; not ok if that is unknown.
func device(path string) (id uint64, ok bool) {
	st, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(sys.Dev), true //nolint:unconvert // its type differs between systems
}
