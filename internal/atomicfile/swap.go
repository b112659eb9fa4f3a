package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"handoff/internal/regular"
)

// ErrChanged says that a file no longer held what the caller had read of it.
// It holds what the other writer made of it; the caller reads it again.
var ErrChanged = errors.New("changed by another writer")

// Swap replaces a file that still holds old by data; nil for old means that
// there is no file. When another writer was faster it changes nothing and
// returns ErrChanged.
//
// The other writer need not know of us: it may truncate and write in place, or
// rename a file of its own over ours, at any moment. Where the system can
// exchange two names at once (Linux, APFS on macOS), its content is not lost:
// what was displaced is looked at after the exchange, when nobody has it open
// for writing any more, and put back unless it is old. For that moment readers
// see data; what somebody makes of it then, and what it was made without, are
// both kept, and the error is also a [*SavedError]. A process that is killed in
// that moment leaves it to [Finish].
//
// Where nobody can tell who has a file open (macOS, some file systems) a writer
// that has it open for longer than a few milliseconds before it writes can lose
// that. Where names cannot be exchanged a write between our last look and the
// rename is lost.
func Swap(path string, old, data []byte, mode fs.FileMode) error {
	s, err := BeginSwap(path, old, data, mode)
	if err != nil {
		return err
	}
	return s.Commit()
}

// Swapping is a [Swap] whose new content is on the disk and has no name yet.
type Swapping struct {
	pending   *Pending
	old, data []byte
	steps     steps
}

// BeginSwap does the slow part of [Swap]. Until Commit the path holds what it
// held before; either Commit or Abort must follow.
func BeginSwap(path string, old, data []byte, mode fs.FileMode) (*Swapping, error) {
	if old != nil {
		st, err := os.Lstat(path)
		if err == nil && st.Mode()&fs.ModeSymlink != 0 { // rarely: following links is many questions
			if real, err := filepath.EvalSymlinks(path); err == nil {
				path = real
			}
			st, err = os.Stat(path)
		}
		if err != nil {
			return nil, changedIfGone(err)
		}
		if err := holds(path, old); err != nil {
			return nil, err
		}
		mode = st.Mode().Perm()
	}
	p, err := begin(path, mode)
	if err != nil {
		return nil, err
	}
	if _, err := p.Write(data); err != nil {
		p.Abort()
		return nil, err
	}
	return &Swapping{pending: p, old: old, data: data}, p.flush()
}

// Abort throws the new content away.
func (s *Swapping) Abort() { s.pending.Abort() }

// Commit gives the new content its name, or returns ErrChanged.
func (s *Swapping) Commit() error {
	err := s.pending.name(func(temp string) error {
		if s.old == nil {
			return create(temp, s.pending.path)
		}
		return s.exchange(temp)
	})
	if s.old == nil && errors.Is(err, fs.ErrExist) {
		return ErrChanged
	}
	return err
}

// holds returns ErrChanged unless the file holds old.
func holds(path string, old []byte) error {
	got, err := regular.Read(path, nil, int64(len(old)))
	if errors.As(err, new(*regular.TooLargeError)) || err == nil && !bytes.Equal(got, old) {
		return ErrChanged
	}
	return changedIfGone(err)
}

func changedIfGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrChanged
	}
	return err
}

// replace is the exchange of systems that have none.
func replace(temp, path string, old []byte) error {
	if err := holds(path, old); err != nil {
		return err
	}
	return os.Rename(temp, path)
}
