package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"

	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
)

// ErrChanged says that a file no longer held what the caller had read of it.
// It holds what the other writer made of it; the caller reads it again.
var ErrChanged = errors.New("changed by another process")

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
//
// Links are treated as in [Write].
func Swap(root nofollow.Root, path string, old, data []byte, mode fs.FileMode) error {
	s, err := BeginSwap(root, path, old, data, mode)
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
func BeginSwap(root nofollow.Root, path string, old, data []byte, mode fs.FileMode) (*Swapping, error) {
	dir, base, err := root.Target(path)
	if err != nil && old != nil {
		err = changedIfGone(err)
	}
	if err != nil {
		return nil, err
	}
	as := newMode(mode)
	if old != nil {
		if as, err = modeOf(dir, base, old); err != nil {
			dir.Close()
			return nil, err
		}
	}
	p, err := begin(dir, base, as)
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
	p := s.pending
	err := p.named(func() error {
		if s.old == nil {
			return create(p.dir, p.name, p.base)
		}
		return s.exchange()
	})
	if s.old == nil && errors.Is(err, fs.ErrExist) {
		return ErrChanged
	}
	return err
}

// modeOf is the mode of a file that holds old; else it returns ErrChanged.
func modeOf(dir *nofollow.Dir, base string, old []byte) (fileMode, error) {
	st, err := dir.Regular(base)
	if err != nil {
		return fileMode{}, changedIfGone(err)
	}
	return modeLike(st, 0), holds(filepath.Join(dir.Path(), base), old)
}

// holds returns ErrChanged unless the file holds old.
func holds(path string, old []byte) error {
	got, err := regular.ReadUnlinked(path, nil, int64(len(old)))
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
