package appendlog

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"handoff/internal/file/nofollow"
)

// File is the log's file as it was opened at its path.
type File struct {
	*os.File
	info     fs.FileInfo
	readOnly error // why it can only be read, nil if it can be written
}

// Info describes the file as it was when it was opened.
func (f *File) Info() fs.FileInfo { return f.info }

// openFile opens for appending, so that nothing can overwrite the bytes of a
// program that ignores the lock; without permission, it opens for reading.
func openFile(root nofollow.Root, path string) (*File, error) {
	dir, name, err := root.Target(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if _, err := dir.Regular(name); err != nil { // before opening: a FIFO would block
		return nil, err
	}
	f, err := dir.OpenFile(name, os.O_RDWR|os.O_APPEND, 0)
	var readOnly error
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		readOnly = err
		f, err = dir.OpenFile(name, os.O_RDONLY, 0)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &File{f, info, readOnly}, nil
}

// cut truncates the file. It opens it again, because Windows cannot truncate a
// file that is open for appending.
func (l *Log) cut(f *File, size int64) error {
	again, err := l.options.Root.OpenFile(l.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer again.Close()
	if st, err := again.Stat(); err != nil || !os.SameFile(st, f.info) {
		return errors.Join(err, ErrChanged)
	}
	return again.Truncate(size)
}

// guardBytes is how many bytes before an offset are remembered, to notice that
// the file was truncated and has grown again with other content.
const guardBytes = 64

// Guard is the end of the part of a file that was read, and the bytes before it.
type Guard struct {
	End   int64
	bytes []byte
}

// GuardAt reads the bytes before an offset. It fails with io.EOF if the file is
// shorter.
func GuardAt(f *File, end int64) (Guard, error) {
	b := make([]byte, min(end, guardBytes))
	if _, err := f.ReadAt(b, end-int64(len(b))); err != nil && len(b) > 0 {
		return Guard{}, err
	}
	return Guard{end, b}, nil
}

// Holds reports whether a file of that size still has those bytes there.
func (g Guard) Holds(f *File, size int64) bool {
	if size < g.End {
		return false
	}
	var b [guardBytes]byte
	n := len(g.bytes)
	if n == 0 {
		return true
	}
	_, err := f.ReadAt(b[:n], g.End-int64(n))
	return err == nil && string(b[:n]) == string(g.bytes)
}

// after is the guard at the end of data that follows g.
func (g Guard) after(data []byte) Guard {
	end := g.End + int64(len(data))
	if len(data) < guardBytes {
		data = append(append(make([]byte, 0, 2*guardBytes), g.bytes...), data...)
	}
	return Guard{end, append([]byte(nil), data[max(0, len(data)-guardBytes):]...)}
}
