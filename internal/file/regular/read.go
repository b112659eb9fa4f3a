package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Read appends the content of a regular file to buf[:0] and returns it, in a new
// buffer if it does not fit. Symbolic links are followed. A file of more than
// maxSize bytes is a [TooLargeError].
func Read(path string, buf []byte, maxSize int64) ([]byte, error) {
	return read(path, 0, buf, maxSize)
}

// ReadUnlinked is Read for a path that must not be a symbolic link: that is
// [ErrLink]. The folders above it may be links.
func ReadUnlinked(path string, buf []byte, maxSize int64) ([]byte, error) {
	return read(path, noFollow, buf, maxSize)
}

// Open opens a regular file for reading; anything else is [ErrNotRegular].
// Symbolic links are followed.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|safe, 0)
	if err != nil {
		return nil, opened(path, 0, err)
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// opened explains an error of opening a path. Systems have several errors for a link
// that is not followed.
func opened(path string, flags int, err error) error {
	switch {
	case errors.Is(err, syscall.ENXIO): // a socket
		err = ErrNotRegular
	case flags&noFollow != 0 && !errors.Is(err, fs.ErrNotExist) && KindOf(path) == Link:
		err = ErrLink
	default:
		return err
	}
	return &fs.PathError{Op: "open", Path: path, Err: err}
}

func read(path string, flags int, buf []byte, maxSize int64) ([]byte, error) {
	f, err := workingFolder.open(path, flags)
	if err != nil {
		return nil, opened(path, flags, &fs.PathError{Op: "open", Path: path, Err: err})
	}
	defer f.Close()
	return readOpen(f, path, buf[:0], maxSize)
}

// readOpen reads the rest of a file, of which buf has the beginning.
func readOpen(f descriptor, path string, buf []byte, maxSize int64) ([]byte, error) {
	size, isRegular, err := f.size()
	switch {
	case err != nil:
	case !isRegular:
		err = ErrNotRegular
	case size > maxSize:
		err = &TooLargeError{size, maxSize}
	default:
		if int64(cap(buf)) <= size {
			buf = append(make([]byte, 0, size+1), buf...) // one more byte, to notice that the file grew
		}
		buf, err = readAll(f, buf, size, maxSize)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return buf, nil
}

// readAll reads to the end of the file, expected at size. If no process is writing the
// file, that saves a call to detect the end.
func readAll(f io.Reader, buf []byte, size, maxSize int64) ([]byte, error) {
	for {
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case err == io.EOF, err == nil && int64(len(buf)) == size && len(buf) < cap(buf):
			return buf, nil
		case err != nil:
			return nil, err
		case int64(len(buf)) > maxSize:
			return nil, &TooLargeError{int64(len(buf)), maxSize}
		case len(buf) == cap(buf):
			buf = append(buf, 0)[:len(buf)]
		}
	}
}
