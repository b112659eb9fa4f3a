//go:build unix

package dashboard

import "golang.org/x/sys/unix"

// mayWrite returns an error if this user may not create files in a folder, or its file system is read-only.
func mayWrite(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }
