//go:build unix

package regular

import (
	"io/fs"
	"os"
	"syscall"
)

// Read appends the content of the file to buf[:0] and returns it, as far as
// it has room, else a new buffer. Symbolic links are followed.
//
// It asks the system directly: os.Open would also offer each descriptor to
// the network poller, which costs a third of the time of reading a small file,
// and would wait for a writer on a FIFO, which O_NONBLOCK does not.
func Read(path string, buf []byte, maxSize int64) ([]byte, error) {
	return readWith(path, buf, maxSize, 0)
}

// ReadUnlinked is Read for a path that should be no symbolic link: that is
// [ErrLink]. What lies above may be links.
func ReadUnlinked(path string, maxSize int64) ([]byte, error) {
	return readWith(path, nil, maxSize, syscall.O_NOFOLLOW)
}

func readWith(path string, buf []byte, maxSize int64, flags int) ([]byte, error) {
	fd, err := open(path, flags)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	return readOpen(fd, path, buf[:0], maxSize)
}

// ReadListed is Read for a file that the listing of its folder just called
// regular. One that fits into a small buffer is not asked again what it is.
// Should it have become a link since it is [ErrLink]; a FIFO, it seems to be
// empty or to hold what was written to it.
func ReadListed(path string, buf []byte, maxSize int64) ([]byte, error) {
	fd, err := open(path, syscall.O_NOFOLLOW)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	return readListed(fd, path, buf, maxSize)
}

// listed is as much of a file as is read without asking what it is.
const listed = 32 << 10

func readListed(fd int, path string, buf []byte, maxSize int64) ([]byte, error) {
	const small = listed
	if maxSize < small {
		return readOpen(fd, path, buf[:0], maxSize)
	}
	if cap(buf) < small {
		buf = make([]byte, 0, small)
	}
	n, err := read(fd, path, buf[:small])
	if err != nil {
		return nil, err
	}
	if n < small { // a regular file comes up short only at its end
		return buf[:n], nil
	}
	return readOpen(fd, path, buf[:n], maxSize)
}

// readOpen reads on what is to come behind the content that buf already holds.
func readOpen(fd int, path string, buf []byte, maxSize int64) ([]byte, error) {
	var st syscall.Stat_t
	if err := retry(func() error { return syscall.Fstat(fd, &st) }); err != nil {
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrNotRegular}
	}
	if st.Size > maxSize {
		return nil, &fs.PathError{Op: "read", Path: path, Err: &TooLargeError{st.Size, maxSize}}
	}
	if int64(cap(buf)) <= st.Size {
		buf = append(make([]byte, 0, st.Size+1), buf...) // one more to see the end by
	}
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := read(fd, path, buf[len(buf):cap(buf)])
		if err != nil {
			return nil, err
		}
		if n <= 0 {
			return buf, nil
		}
		buf = buf[:len(buf)+n]
		if int64(len(buf)) > maxSize { // it grew while it was read
			return nil, &fs.PathError{Op: "read", Path: path, Err: &TooLargeError{int64(len(buf)), maxSize}}
		}
		if int64(len(buf)) == st.Size && len(buf) < cap(buf) {
			return buf, nil // one read less; a writer that goes on is seen by the next look
		}
	}
}

// Open opens a regular file for reading; anything else is [ErrNotRegular].
// Symbolic links are followed.
func Open(path string) (*os.File, error) {
	fd, err := open(path, 0)
	if err != nil {
		return nil, err
	}
	var st syscall.Stat_t
	err = retry(func() error { return syscall.Fstat(fd, &st) })
	if err == nil && st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		err = ErrNotRegular
	}
	if err == nil {
		err = syscall.SetNonblock(fd, false) // or os.NewFile asks the network poller
	}
	if err != nil {
		syscall.Close(fd)
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

func open(path string, flags int) (fd int, err error) {
	err = retry(func() (err error) {
		fd, err = syscall.Open(path, flags|syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
		return err
	})
	return opened(fd, path, flags, err)
}

// opened says what an error of opening means.
func opened(fd int, path string, flags int, err error) (int, error) {
	switch {
	case err == syscall.ENXIO: // a socket
		err = ErrNotRegular
	case flags&syscall.O_NOFOLLOW != 0 && (err == syscall.ELOOP || err == syscall.EMLINK):
		err = ErrLink
	}
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}

func read(fd int, path string, buf []byte) (n int, err error) {
	err = retry(func() (err error) {
		n, err = syscall.Read(fd, buf)
		return err
	})
	if err != nil {
		return 0, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return n, nil
}

func retry(f func() error) error {
	for {
		if err := f(); err != syscall.EINTR {
			return err
		}
	}
}

// Look says whether anything stands at a path, and whether it is a folder.
// Where that cannot be told, because a folder above is not open to us or is no
// folder, something does. It is os.Stat without all else that is known of a
// file, which takes as long again.
func Look(path string) (exists, folder bool) {
	var st syscall.Stat_t
	err := retry(func() error { return syscall.Stat(path, &st) })
	return err != syscall.ENOENT, err == nil && st.Mode&syscall.S_IFMT == syscall.S_IFDIR
}

// KindOf is what stands at a path; a symbolic link is not followed. Where that
// cannot be told, it is Nothing.
func KindOf(path string) Kind {
	var st syscall.Stat_t
	if err := retry(func() error { return syscall.Lstat(path, &st) }); err != nil {
		return Nothing
	}
	switch st.Mode & syscall.S_IFMT {
	case syscall.S_IFREG:
		return File
	case syscall.S_IFDIR:
		return Dir
	case syscall.S_IFLNK:
		return Link
	}
	return Other
}
