package journal

import "syscall"

// datasync puts on the disk what is needed to read the file's content again:
// the size, if it changed, but not the time of the change, which saves the
// disk a little work.
func (l *logFile) datasync() error {
	conn, err := l.SyscallConn()
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
