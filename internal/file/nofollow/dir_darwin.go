package nofollow

import (
	"errors"

	"golang.org/x/sys/unix"
)

const searchable = unix.O_RDONLY

// Exchange exchanges the names of a file of the folder and one of another, atomically. If the file system
// cannot do that, the error is errors.ErrUnsupported: APFS can, few others can.
func (d *Dir) Exchange(a string, other *Dir, b string) error {
	err := d.between("exchange", a, other, b, func() error { return unix.RenameatxNp(d.fd, a, other.fd, b, unix.RENAME_SWAP) })
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOSYS) {
		return errors.ErrUnsupported
	}
	return err
}
