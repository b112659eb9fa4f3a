package atomicfile

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"handoff/internal/file/nofollow"
)

// settle is how long to wait at most for a writer that has the displaced file open.
const settle = 2 * time.Second

// settled reads a displaced file once no process has it open for writing: the system
// grants a read lease only then. quiet is false if a process still has it open.
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
			time.Sleep(patience) // the file system has no leases
			quiet = true
		}
	}
	data, err = readIn(dir, name)
	return data, quiet, err
}
