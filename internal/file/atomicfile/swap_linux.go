package atomicfile

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"handoff/internal/file/nofollow"
)

// settle bounds how long a writer that has the displaced file open is waited
// for.
const settle = 2 * time.Second

// settled reads a file that has lost its name once nobody has it open for
// writing: a read lease is granted only then. quiet is false where somebody
// still has.
func settled(dir *nofollow.Dir, name string) (data []byte, quiet bool, err error) {
	f, err := dir.OpenFile(name, os.O_RDONLY, 0)
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
	data, err = readIn(dir, name)
	return data, quiet, err
}
