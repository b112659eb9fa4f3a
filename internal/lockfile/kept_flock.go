//go:build darwin || freebsd || linux || netbsd || openbsd

package lockfile

import (
	"io/fs"
	"os"
	"syscall"
)

type kept struct{ file *os.File }

// try takes the lock if nobody holds it. A file that was removed after it was
// opened locks out nobody any more, and is opened anew.
func (k *Kept) try() (held bool, err error) {
	for {
		if err := k.open(); err != nil {
			return false, err
		}
		if held, err = k.flock(syscall.LOCK_EX | syscall.LOCK_NB); !held {
			return false, err
		}
		var st syscall.Stat_t
		if err := k.control(func(fd int) error { return syscall.Fstat(fd, &st) }); err != nil || st.Nlink > 0 {
			return err == nil, err
		}
		k.Close()
	}
}

// open opens the file unless it is open. It does not wait for the other end of
// a FIFO.
func (k *Kept) open() (err error) {
	if k.file != nil {
		return nil
	}
	f, err := k.Root.OpenFile(k.Path, os.O_CREATE|os.O_RDONLY|syscall.O_NONBLOCK, 0o600)
	if err == nil {
		k.file = f
	}
	return err
}

func (k *Kept) unlock() error {
	_, err := k.flock(syscall.LOCK_UN)
	return err
}

// flock reports whether it was done; not, without an error, if another holds
// the lock.
func (k *Kept) flock(how int) (done bool, err error) {
	switch err := k.control(func(fd int) error { return syscall.Flock(fd, how) }); err {
	case nil:
		return true, nil
	case syscall.EWOULDBLOCK:
		return false, nil
	default:
		return false, &fs.PathError{Op: "lock", Path: k.Path, Err: err}
	}
}

// control calls f with the file's descriptor until no signal disturbs it.
func (k *Kept) control(f func(fd int) error) error {
	conn, err := k.file.SyscallConn()
	if err != nil {
		return err
	}
	var result error
	err = conn.Control(func(fd uintptr) {
		for result = syscall.EINTR; result == syscall.EINTR; {
			result = f(int(fd))
		}
	})
	if err != nil {
		return err
	}
	return result
}

// Close gives the file back, and the lock with it.
func (k *Kept) Close() error {
	if k.file == nil {
		return nil
	}
	f := k.file
	k.file = nil
	return f.Close()
}
