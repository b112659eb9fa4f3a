//go:build unix

package regular

import "golang.org/x/sys/unix"

// Writable returns an error if this user cannot create files in a folder or, while there is none, in the nearest one
// above it: the user may not, the file system is read-only (EROFS), or it is full (ENOSPC). It writes nothing.
func Writable(dir string) error {
	dir = Existing(dir)
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return err
	}
	if full(dir) {
		return unix.ENOSPC
	}
	return nil
}
