package regular

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"
)

// exhausted are the errors of a process or a system that has too many open files.
var exhausted = []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}

// Exhausted reports whether opening or reading failed because there were no
// descriptors or no memory left. It may work a moment later; nothing is wrong with
// the file.
func Exhausted(err error) bool {
	return slices.ContainsFunc(exhausted, func(e syscall.Errno) bool { return errors.Is(err, e) })
}

// Unavailable reports whether an existing file could not be opened or read:
// [Exhausted], no permission, or a failure of the disk or the file server. The
// content is then unknown, but not damaged.
func Unavailable(err error) bool {
	return Exhausted(err) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ETIMEDOUT) || errors.Is(err, syscall.ESTALE) || errors.Is(err, syscall.EINTR)
}
