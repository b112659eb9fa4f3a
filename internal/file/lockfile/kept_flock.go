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

// replacedOften is the number of lock files in a row that are replaced while they are
// locked, before that is an error: the file system has no stable inode numbers.
const replacedOften = 1000

// try takes the lock if no process holds it.
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
			k.drop() // without writing to the file, which may be another process's
			return false, err
		case ours:
			return true, nil
		}
		k.drop()
	}
	return false, &fs.PathError{Op: "lock", Path: k.Path, Err: errors.New("the file is being replaced repeatedly")}
}

// inPlace reports whether the open file is the one at the path. If it was removed or
// replaced after it was opened, its lock excludes nobody.
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

// open opens the file unless it is open. A file that is read-only is locked without a
// record.
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

// unlock releases the lock. If the system cannot, it closes the file, which releases
// the lock, too.
func (k *Kept) unlock() error {
	err := k.signOff()
	if _, failed := k.flock(syscall.LOCK_UN); failed != nil {
		err = errors.Join(err, failed, k.drop())
	}
	return err
}

// flock calls flock(2). done is false without an error if another process holds the
// lock.
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

// control calls f with the file's descriptor, again if a signal interrupts it.
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

// Close releases the lock and closes the file.
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

// RemoveHeld removes a lock file because the thing that it locks was deleted. The
// holder calls it last before it unlocks. Processes that wait for the file notice,
// and lock the file that is then at the path.
func RemoveHeld(root nofollow.Root, path string) error { return root.Remove(path) }

// Held reports whether a process holds the lock. Processes that ask at the same time do not see each
// other, as with [Try]; one that wants the lock waits for them.
func Held(root nofollow.Root, path string) (bool, error) {
	k := &Kept{Root: root, Path: path}
	if err := k.open(); err != nil {
		return false, err
	}
	defer k.drop()
	free, err := k.flock(syscall.LOCK_SH | syscall.LOCK_NB)
	return !free && err == nil, err
}

// TryFolder is [Try] for a folder. Removing all files of the folder does not remove this
// lock. Some file systems, such as NFS, cannot lock folders: that is an error. Symlinks
// are followed: the caller must trust the path.
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
