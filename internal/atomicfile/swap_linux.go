package atomicfile

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// settle bounds how long a writer that has the displaced file open is waited
// for.
const settle = 2 * time.Second

// exchangeNames gives each of two files the other's name, at once. The error
// is errors.ErrUnsupported where the file system cannot.
func exchangeNames(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return errors.ErrUnsupported
	}
	return err
}

// settled reads a file that has lost its name once nobody has it open for
// writing: a read lease is granted only then. quiet is false where somebody
// still has.
func settled(path string) (data []byte, quiet bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	for start := time.Now(); !quiet && time.Since(start) < settle; {
		_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
		switch {
		case err == nil:
			unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
			quiet = true
		case errors.Is(err, unix.EAGAIN):
			time.Sleep(time.Millisecond)
		default:
			time.Sleep(patience) // no leases here
			quiet = true
		}
	}
	data, err = os.ReadFile(path)
	return data, quiet, err
}
