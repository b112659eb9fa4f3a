//go:build !(darwin || freebsd || linux || netbsd || openbsd)

package lockfile

import (
	"os"

	"github.com/gofrs/flock"
)

type kept struct{ file *flock.Flock }

// try takes the lock if nobody holds it. The file is opened first by a way that
// follows no link, and then by its path.
func (k *Kept) try() (held bool, err error) {
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

// Close gives the file back, and the lock with it.
func (k *Kept) Close() error {
	if k.file == nil {
		return nil
	}
	f := k.file
	k.file = nil
	return f.Close()
}
