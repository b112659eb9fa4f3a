package nofollow

import (
	"errors"

	"golang.org/x/sys/unix"
)

// searchable opens a folder as a step on the way, which needs no right to list
// it.
const searchable = unix.O_PATH

// Exchange gives each of two files in the folder the other's name, at once. The
// error is errors.ErrUnsupported where the file system cannot.
func (d *Dir) Exchange(a, b string) error {
	err := d.between("exchange", a, d, b, func() error { return unix.Renameat2(d.fd, a, d.fd, b, unix.RENAME_EXCHANGE) })
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return errors.ErrUnsupported
	}
	return err
}
