package atomicfile

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// exchangeNames gives each of two files the other's name, at once. The error
// is errors.ErrUnsupported where the file system cannot: APFS can, and little
// else.
func exchangeNames(a, b string) error {
	err := unix.RenamexNp(a, b, unix.RENAME_SWAP)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOSYS) {
		return errors.ErrUnsupported
	}
	return err
}

// settled reads a file that has lost its name after a moment: who has it open
// for writing cannot be asked here.
func settled(path string) (data []byte, quiet bool, err error) {
	time.Sleep(patience)
	data, err = os.ReadFile(path)
	return data, true, err
}
