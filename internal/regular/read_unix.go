//go:build unix

package regular

import (
	"io/fs"
	"syscall"
)

// Read appends the content of the file to buf[:0] and returns it, as far as
// it has room, else a new buffer. Symbolic links are followed.
//
// It asks the system directly: os.Open would also offer each descriptor to
// the network poller, which costs a third of the time of reading a small file,
// and would wait for a writer on a FIFO, which O_NONBLOCK does not.
func Read(path string, buf []byte, maxSize int64) ([]byte, error) {
	fd, err := open(path)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	return readOpen(fd, path, buf[:0], maxSize)
}

// ReadListed is Read for a file that the listing of its folder just called
// regular. One that fits into a small buffer is not asked again what it is.
// Should it have become a FIFO since, it seems to be empty or to hold what was
// written to it.
func ReadListed(path string, buf []byte, maxSize int64) ([]byte, error) {
	const small = 32 << 10
	if maxSize < small {
		return Read(path, buf, maxSize)
	}
	fd, err := open(path)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
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
		buf = append(make([]byte, 0, st.Size+512), buf...)
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

func open(path string) (fd int, err error) {
	err = retry(func() (err error) {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
		return err
	})
	if err == syscall.ENXIO { // a socket
		err = ErrNotRegular
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
