//go:build freebsd || netbsd || openbsd

package nofollow

import (
	"errors"

	"golang.org/x/sys/unix"
)

const searchable = unix.O_RDONLY

// Exchange is not supported here.
func (d *Dir) Exchange(_ string, _ *Dir, _ string) error { return errors.ErrUnsupported }
