package nofollow

import (
	"errors"

	"golang.org/x/sys/unix"
)

// searchable opens a folder as a step of a path, which needs no permission to list it.
const searchable = unix.O_PATH

// Exchange exchanges the names of a file of the folder and one of another, atomically. If the file system
// cannot do that, the error is errors.ErrUnsupported.
func (d *Dir) Exchange(a string, other *Dir, b string) error {
	err := d.between("exchange", a, other, b, func() error { return unix.Renameat2(d.fd, a, other.fd, b, unix.RENAME_EXCHANGE) })
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return errors.ErrUnsupported
	}
	return err
}
