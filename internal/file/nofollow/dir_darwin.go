package nofollow

import (
	"errors"

	"golang.org/x/sys/unix"
)

const searchable = unix.O_RDONLY

// Exchange exchanges the names of two files of the folder atomically. If the file system
// cannot do that, the error is errors.ErrUnsupported: APFS can, few others can.
func (d *Dir) Exchange(a, b string) error {
	err := d.between("exchange", a, d, b, func() error { return unix.RenameatxNp(d.fd, a, d.fd, b, unix.RENAME_SWAP) })
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOSYS) {
		return errors.ErrUnsupported
	}
	return err
}
