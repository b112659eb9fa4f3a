//go:build !unix

package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// Open opens a regular file for reading; anything else is [ErrNotRegular].
// Symbolic links are followed.
func Open(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular})
	}
	return f, nil
}

// Read appends the content of the file to buf[:0] and returns it, as far as
// it has room, else a new buffer. Symbolic links are followed.
func Read(path string, buf []byte, maxSize int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
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

// ReadUnlinked is Read for a path that should be no symbolic link: that is
// [ErrLink]. What lies above may be links.
func ReadUnlinked(path string, maxSize int64) ([]byte, error) {
	if KindOf(path) == Link {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrLink}
	}
	return Read(path, nil, maxSize)
}

// ReadListed is Read for a file that the listing of its folder just called
// regular. Should it have become a link since it is [ErrLink].
func ReadListed(path string, buf []byte, maxSize int64) ([]byte, error) {
	if KindOf(path) == Link {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrLink}
	}
	return Read(path, buf, maxSize)
}

// Look says whether anything stands at a path, and whether it is a folder.
func Look(path string) (exists, folder bool) {
	st, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist), err == nil && st.IsDir()
}

// KindOf is what stands at a path; a symbolic link is not followed. Where that
// cannot be told, it is Nothing.
func KindOf(path string) Kind {
	st, err := os.Lstat(path)
	if err != nil {
		return Nothing
	}
	return kindOf(st.Mode())
}
