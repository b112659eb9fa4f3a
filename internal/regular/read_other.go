//go:build !unix

package regular

import (
	"io"
	"io/fs"
	"os"
)

// Read appends the content of the file to buf[:0] and returns it, as far as
// it has room, else a new buffer. Symbolic links are followed.
func Read(path string, buf []byte, maxSize int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrNotRegular}
	}
	if st.Size() > maxSize {
		return nil, &fs.PathError{Op: "read", Path: path, Err: &TooLargeError{st.Size(), maxSize}}
	}
	src, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err == nil && int64(len(src)) > maxSize {
		err = &fs.PathError{Op: "read", Path: path, Err: &TooLargeError{int64(len(src)), maxSize}}
	}
	return append(buf[:0], src...), err
}

// ReadListed is Read.
func ReadListed(path string, buf []byte, maxSize int64) ([]byte, error) {
	return Read(path, buf, maxSize)
}
