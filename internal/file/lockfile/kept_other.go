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

// try takes the lock if nobody holds it. The file is opened first by a way that
// follows no link, and then by its path.
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

// Check does nothing where locks are of the file server: those are shared.
func (k *Kept) Check() error { return nil }

// Close gives the file back, and the lock with it.
func (k *Kept) Close() error {
	if k.file == nil {
		return nil
	}
	f := k.file
	k.file = nil
	return f.Close()
}

// RemoveHeld does nothing here: a file that is open cannot be removed, and who
// waits for it would not notice.
func RemoveHeld(nofollow.Root, string) error { return nil }

// TryFolder is an error where folders cannot be locked. Files that are locked
// cannot be removed there.
func TryFolder(path string) (unlock func() error, ok bool, err error) {
	return nil, false, &fs.PathError{Op: "lock", Path: path, Err: errors.ErrUnsupported}
}
