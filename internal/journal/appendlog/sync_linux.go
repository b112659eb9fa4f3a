package appendlog

import (
	"os"
	"syscall"
)

// datasync flushes what is needed to read the file's content again: the size,
// if it changed, but not the modification time, which saves the disk some work.
func datasync(f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var syncErr error
	err = conn.Control(func(fd uintptr) {
		for {
			if syncErr = syscall.Fdatasync(int(fd)); syncErr != syscall.EINTR {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	return syncErr
}
