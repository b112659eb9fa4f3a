package nofollow

import (
	"errors"

	"golang.org/x/sys/unix"
)

// searchable opens a folder as a step of a path, which needs no permission to list it.
const searchable = unix.O_PATH

// Exchange exchanges the names of two files of the folder atomically. If the file system
// cannot do that, the error is errors.ErrUnsupported.
func (d *Dir) Exchange(a, b string) error {
	err := d.between("exchange", a, d, b, func() error { return unix.Renameat2(d.fd, a, d.fd, b, unix.RENAME_EXCHANGE) })
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return errors.ErrUnsupported
	}
	return err
}
