//go:build !(darwin || freebsd || linux || netbsd || openbsd)

package lockfile

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/gofrs/flock"

	"handoff/internal/file/nofollow"
)

type kept struct{ file *flock.Flock }

// try takes the lock if no process holds it. The file is opened first without
// following symlinks, and then by its path.
func (k *Kept) try(context.Context) (held bool, err error) {
	if k.file == nil {
		f, err := k.Root.OpenFile(k.Path, os.O_CREATE|os.O_RDONLY, 0o600)
		if err != nil {
			return false, err
		}
		f.Close()
		k.file = flock.New(k.Path)
	}
	return k.file.TryLock()
}

func (k *Kept) unlock() error { return k.file.Unlock() }

// stopped is unknown here.
func (k *Kept) stopped() (pid int, stopped bool) { return 0, false }

// Check does nothing here: these locks belong to the file server, so they are shared.
func (k *Kept) Check() error { return nil }

// Close releases the lock and closes the file.
func (k *Kept) Close() error {
	if k.file == nil {
		return nil
	}
	f := k.file
	k.file = nil
	return f.Close()
}

// RemoveHeld does nothing here: an open file cannot be removed, and processes that wait
// for it would not notice.
func RemoveHeld(nofollow.Root, string) error { return nil }

// Orphaned is false here: the system releases the locks of a process that ends.
func Orphaned(nofollow.Root, string) bool { return false }

// Held reports whether a process holds the lock: see the other systems.
func Held(root nofollow.Root, path string) (bool, error) {
	f, err := root.OpenFile(path, os.O_CREATE|os.O_RDONLY, 0o600)
	if err != nil {
		return false, err
	}
	f.Close()
	k := flock.New(path)
	free, err := k.TryRLock()
	return !free && err == nil, errors.Join(err, k.Close())
}

// TryFolder is an error here: folders cannot be locked, but locked files cannot be
// removed.
func TryFolder(path string) (unlock func() error, ok bool, err error) {
	return nil, false, &fs.PathError{Op: "lock", Path: path, Err: errors.ErrUnsupported}
}
