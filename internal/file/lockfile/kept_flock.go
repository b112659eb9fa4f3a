//go:build darwin || freebsd || linux || netbsd || openbsd

package lockfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"

	"handoff/internal/file/nofollow"
)

type kept struct {
	file *os.File
	mark mark
}

// replacedOften is how many lock files may be found replaced, one after the
// other, before that is an error: the file system has no lasting inodes.
const replacedOften = 1000

// try takes the lock if nobody holds it.
func (k *Kept) try(ctx context.Context) (taken bool, err error) {
	for range replacedOften {
		if err := k.open(); err != nil {
			return false, err
		}
		if taken, err = k.flock(syscall.LOCK_EX | syscall.LOCK_NB); !taken {
			return false, err
		}
		ours, err := k.inPlace()
		if err == nil && ours {
			err = k.sign(ctx)
		}
		switch {
		case err != nil:
			k.drop() // without a word in the file: it may be another's
			return false, err
		case ours:
			return true, nil
		}
		k.drop()
	}
	return false, &fs.PathError{Op: "lock", Path: k.Path, Err: errors.New("the file is being replaced repeatedly")}
}

// inPlace reports whether the open file is the one that others find at the path.
// One that was removed or replaced after it was opened locks nobody out.
func (k *Kept) inPlace() (bool, error) {
	var open, now syscall.Stat_t
	if err := k.control(func(fd int) error { return syscall.Fstat(fd, &open) }); err != nil {
		return false, &fs.PathError{Op: "lock", Path: k.Path, Err: err}
	}
	if open.Nlink == 0 {
		return false, nil
	}
	err := syscall.Stat(k.Path, &now)
	if err == syscall.ENOENT {
		return false, nil
	}
	if err != nil {
		return false, &fs.PathError{Op: "lock", Path: k.Path, Err: err}
	}
	k.mark.inode = inodeOf(&open)
	return open.Dev == now.Dev && open.Ino == now.Ino, nil
}

// open opens the file unless it is open. One that may only be read is locked
// without a record.
func (k *Kept) open() error {
	if k.file != nil {
		return nil
	}
	f, err := k.Root.OpenFile(k.Path, os.O_CREATE|os.O_RDWR, 0o600)
	k.mark.mute = false
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		if g, again := k.Root.OpenFile(k.Path, os.O_RDONLY, 0); again == nil {
			k.mark.mute, f, err = true, g, nil
		}
	}
	if err == nil {
		k.file = f
	}
	return err
}

// unlock lets go of the lock, also where the system says that it cannot: a file
// that is closed has none.
func (k *Kept) unlock() error {
	err := k.signOff()
	if _, failed := k.flock(syscall.LOCK_UN); failed != nil {
		err = errors.Join(err, failed, k.drop())
	}
	return err
}

// flock reports whether it was done; not, without an error, if another holds
// the lock.
func (k *Kept) flock(how int) (done bool, err error) {
	call := k.Flock
	if call == nil {
		call = syscall.Flock
	}
	switch err := k.control(func(fd int) error { return call(fd, how) }); err {
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
	return errors.Join(k.signOff(), k.drop())
}

func (k *Kept) drop() error {
	if k.file == nil {
		return nil
	}
	f := k.file
	k.file, k.mark.own = nil, ""
	return f.Close()
}

// RemoveHeld removes a lock file, for its holder, as the last thing before it
// unlocks: what the file was the lock of is gone. Those who wait for the file
// notice, and take the one that is at the path then.
func RemoveHeld(root nofollow.Root, path string) error { return root.Remove(path) }

// TryFolder takes a folder if nobody holds it, as [Try] does a file. What can
// remove all files of a folder cannot remove the lock. Not every file system
// locks folders (NFS does not), which is an error. Links are followed: the caller
// trusts the path.
func TryFolder(path string) (unlock func() error, ok bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	k := &Kept{Path: path, kept: kept{file: f}}
	if ok, err = k.flock(syscall.LOCK_EX | syscall.LOCK_NB); !ok {
		k.drop()
		return nil, false, err
	}
	return k.drop, true, nil
}
