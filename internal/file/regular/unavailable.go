package regular

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"
)

// exhausted are the errors of a process or a system that has too much open.
var exhausted = []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}

// Exhausted reports whether something could not be opened or read because there
// are no descriptors or no memory for it. It may work a moment later, and says
// nothing about any file.
func Exhausted(err error) bool {
	return slices.ContainsFunc(exhausted, func(e syscall.Errno) bool { return errors.Is(err, e) })
}

// Unavailable reports whether a file that exists could not be opened or read:
// [Exhausted], without permission, or because the disk or its server failed. What
// the file holds is not known then; it is not damaged.
func Unavailable(err error) bool {
	return Exhausted(err) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ETIMEDOUT) || errors.Is(err, syscall.ESTALE) || errors.Is(err, syscall.EINTR)
}
