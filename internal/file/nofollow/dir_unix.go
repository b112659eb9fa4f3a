//go:build darwin || freebsd || linux || netbsd || openbsd

package nofollow

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"handoff/internal/file/regular"
)

// Dir is an open folder. Names in it are single names. Any number of goroutines
// may use it.
type Dir struct {
	path string
	fd   int
}

func openDir(path string) (*Dir, error) {
	fd, err := open(unix.AT_FDCWD, path, searchable|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return &Dir{path, fd}, nil
}

func open(dir int, name string, flag int, mode uint32) (fd int, err error) {
	err = regular.Retry(func() (err error) {
		fd, err = unix.Openat(dir, name, flag|unix.O_CLOEXEC, mode)
		return err
	})
	return fd, err
}

// Close closes the folder.
func (d *Dir) Close() error { return unix.Close(d.fd) }

// Dir opens a folder in it.
func (d *Dir) Dir(name string) (*Dir, error) {
	if err := single("open", name); err != nil {
		return nil, err
	}
	fd, err := open(d.fd, name, searchable|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, d.failed("open", name, err)
	}
	return &Dir{d.join(name), fd}, nil
}

// failed explains an error of opening. Systems have different errors for a link.
func (d *Dir) failed(op, name string, err error) error {
	if err == unix.ELOOP || err == unix.ENOTDIR || err == unix.EMLINK {
		var st unix.Stat_t
		if unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
			return LinkAt(d.join(name))
		}
	}
	return &fs.PathError{Op: op, Path: d.join(name), Err: err}
}

// OpenFile is os.OpenFile in the folder. A link is a [*LinkError]. Anything else that is
// not a regular file is [regular.ErrNotRegular]: a FIFO would wait for its other end,
// and opening a device may have any effect.
func (d *Dir) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	if err := single("open", name); err != nil {
		return nil, err
	}
	fd, err := open(d.fd, name, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, uint32(mode.Perm()))
	if err == unix.ENXIO { // a socket, or a FIFO without a reader
		err = regular.ErrNotRegular
	}
	if err == nil {
		err = onlyRegular(fd)
	}
	if err != nil {
		return nil, d.failed("open", name, err)
	}
	return os.NewFile(uintptr(fd), d.join(name)), nil
}

// onlyRegular closes the file and returns an error unless it is regular. It resets
// O_NONBLOCK: otherwise os.NewFile would use the network poller.
func onlyRegular(fd int) error {
	var st unix.Stat_t
	err := regular.Retry(func() error { return unix.Fstat(fd, &st) })
	if err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		err = regular.ErrNotRegular
	}
	if err == nil {
		err = unix.SetNonblock(fd, false)
	}
	if err != nil {
		unix.Close(fd)
	}
	return err
}

// do makes a system call with a name.
func (d *Dir) do(op, name string, call func() error) error {
	err := single(op, name)
	if err == nil {
		err = regular.Retry(call)
	}
	if err == nil || errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return &fs.PathError{Op: op, Path: d.join(name), Err: err}
}

// Mkdir creates a folder.
func (d *Dir) Mkdir(name string, mode fs.FileMode) error {
	return d.do("mkdir", name, func() error { return unix.Mkdirat(d.fd, name, uint32(mode.Perm())) })
}

// Symlink creates a symbolic link. Its target is not looked at.
func (d *Dir) Symlink(target, name string) error {
	return d.do("symlink", name, func() error { return unix.Symlinkat(target, d.fd, name) })
}

// Remove removes a file, a link, or an empty folder.
func (d *Dir) Remove(name string) error {
	return d.do("remove", name, func() error {
		err := unix.Unlinkat(d.fd, name, 0)
		if err == nil || err == unix.ENOENT {
			return err
		}
		asFolder := unix.Unlinkat(d.fd, name, unix.AT_REMOVEDIR)
		if asFolder != unix.ENOTDIR {
			return asFolder
		}
		return err
	})
}

// RemoveAll removes a file, or a folder with everything in it.
func (d *Dir) RemoveAll(name string) error {
	below, err := d.Dir(name)
	if err != nil { // not a folder, or one that cannot be opened
		return d.Remove(name)
	}
	defer below.Close()
	names, err := below.names()
	for _, n := range names {
		err = errors.Join(err, below.RemoveAll(n))
	}
	return errors.Join(err, d.Remove(name))
}

func (d *Dir) names() ([]string, error) {
	f, err := d.self()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// self opens the folder for reading. The descriptor of d may not allow that.
func (d *Dir) self() (*os.File, error) {
	fd, err := open(d.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: d.path, Err: err}
	}
	return os.NewFile(uintptr(fd), d.path), nil
}

// Sync fsyncs the entries: without that a crash can lose a new name. Some file systems, such as
// SMB shares and some in user space, cannot fsync a folder: there nothing more can be done.
func (d *Dir) Sync() error {
	f, err := d.self()
	if err != nil {
		return err
	}
	defer f.Close()
	if err = f.Sync(); errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EBADF) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// RenameTo renames a file of the folder to a name in another folder.
func (d *Dir) RenameTo(from string, other *Dir, to string) error {
	return d.between("rename", from, other, to, func() error { return unix.Renameat(d.fd, from, other.fd, to) })
}

// LinkTo gives a file of the folder a second name in another folder.
func (d *Dir) LinkTo(from string, other *Dir, to string) error {
	return d.between("link", from, other, to, func() error { return unix.Linkat(d.fd, from, other.fd, to, 0) })
}

func (d *Dir) between(op, from string, other *Dir, to string, call func() error) error {
	err := errors.Join(single(op, from), single(op, to))
	if err != nil {
		return err
	}
	if err := regular.Retry(call); err != nil {
		return &os.LinkError{Op: op, Old: d.join(from), New: other.join(to), Err: err}
	}
	return nil
}

// Chtimes sets the time of a file, or of a link itself.
func (d *Dir) Chtimes(name string, modified time.Time) error {
	now := unix.NsecToTimespec(modified.UnixNano())
	return d.do("chtimes", name, func() error {
		return unix.UtimesNanoAt(d.fd, name, []unix.Timespec{now, now}, unix.AT_SYMLINK_NOFOLLOW)
	})
}
