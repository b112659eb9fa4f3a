package nofollow

import (
	"errors"

	"golang.org/x/sys/unix"
)

const searchable = unix.O_RDONLY

// Exchange gives each of two files in the folder the other's name, at once. The
// error is errors.ErrUnsupported where the file system cannot: APFS can, and
// little else.
func (d *Dir) Exchange(a, b string) error {
	err := d.between("exchange", a, d, b, func() error { return unix.RenameatxNp(d.fd, a, d.fd, b, unix.RENAME_SWAP) })
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOSYS) {
		return errors.ErrUnsupported
	}
	return err
}
