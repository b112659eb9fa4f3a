package journal

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"handoff/internal/file/nofollow"
)

// logFile is the journal's file as it was found at its path.
type logFile struct {
	*os.File
	info    fs.FileInfo
	refused error // why it may only be read, if so
}

// openLog opens for appending, so that not even a program that ignores the
// lock can have its bytes overwritten; or else for reading.
func openLog(root nofollow.Root, path string) (*logFile, error) {
	dir, name, err := root.Target(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if _, err := dir.Regular(name); err != nil { // before opening: a FIFO would wait for its other end
		return nil, err
	}
	f, err := dir.OpenFile(name, os.O_RDWR|os.O_APPEND, 0)
	var refused error
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		refused = err
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
	return &logFile{f, info, refused}, nil
}

// current is the file that stands at the journal's path now, and its size. A
// file that was replaced is not closed here: someone may be reading it, and
// the collector closes it after the last of them.
func (j *Journal) current() (*logFile, int64, error) {
	l := j.log.Load()
	if j.fixed {
		st, err := l.Stat()
		if err != nil {
			return nil, 0, err
		}
		return l, st.Size(), nil
	}
	if l != nil {
		st, err := os.Stat(j.path)
		if err != nil {
			return nil, 0, err
		}
		if os.SameFile(st, l.info) {
			return l, st.Size(), nil
		}
	}
	fresh, err := openLog(j.options.Root, j.path)
	if err != nil {
		return nil, 0, err
	}
	if !j.log.CompareAndSwap(l, fresh) {
		fresh.Close() // another goroutine was faster
		return j.current()
	}
	return fresh, fresh.info.Size(), nil
}

// cut shortens the file. It opens it once more, because a file opened for
// appending cannot be cut on Windows.
func cut(l *logFile, root nofollow.Root, path string, size int64) error {
	f, err := root.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !os.SameFile(st, l.info) {
		return errors.Join(err, ErrChanged)
	}
	return f.Truncate(size)
}

// guardBytes is how much before a place in the file is remembered, to notice
// that the file was cut and has grown again to something else.
const guardBytes = 64

// guard is the end of what was read from a file, and the bytes before it.
type guard struct {
	end   int64
	bytes []byte
}

func guardAt(l *logFile, end int64) (guard, error) {
	b := make([]byte, min(end, guardBytes))
	if _, err := l.ReadAt(b, end-int64(len(b))); err != nil && len(b) > 0 {
		return guard{}, err
	}
	return guard{end, b}, nil
}

// holds says whether the file still has those bytes there.
func (g guard) holds(l *logFile, size int64) bool {
	if size < g.end {
		return false
	}
	var b [guardBytes]byte
	n := len(g.bytes)
	if n == 0 {
		return true
	}
	_, err := l.ReadAt(b[:n], g.end-int64(n))
	return err == nil && string(b[:n]) == string(g.bytes)
}
