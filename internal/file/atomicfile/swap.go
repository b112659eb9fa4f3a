package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"

	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
)

// ErrChanged reports that a file no longer has the content that the caller read. It
// has the content of another writer; the caller must read it again.
var ErrChanged = errors.New("changed by another process")

// Swap is a compare-and-swap of a file's content: it writes data if the file still
// has the content old; nil for old means that the file must not exist. If another
// writer was faster, Swap changes nothing and returns ErrChanged.
//
// The other writer need not cooperate: it may truncate the file and write in place,
// or rename a file over it, at any moment. If the system can exchange two names
// atomically (Linux, APFS on macOS), its content is not lost: after the exchange,
// when no process has the displaced file open for writing, Swap reads it and puts
// it back unless it is old. For that moment readers see data. If another process
// writes the file in that moment, both versions are kept, and the error is also a
// [*SavedError]. If the process is killed in that moment, [Finish] completes it.
//
// If the system cannot report which processes have a file open (macOS, some file
// systems), a write is lost if it comes more than a few milliseconds after its
// process opened the file. If names cannot be exchanged, a write between the last
// check and the rename is lost.
//
// Symlinks are treated as in [Write].
func Swap(root nofollow.Root, path string, old, data []byte, mode fs.FileMode) error {
	s, err := BeginSwap(root, path, old, data, mode)
	if err != nil {
		return err
	}
	return s.Commit()
}

// Swapping is a [Swap] whose new content is on the disk, in a temporary file.
type Swapping struct {
	pending   *Pending
	below     string // the path of the file below the folder that has the scratch folder, with forward slashes
	old, data []byte
	steps     steps
}

// BeginSwap does the slow part of [Swap]. Until Commit the path keeps its content.
// The caller must call Commit or Abort.
func BeginSwap(root nofollow.Root, path string, old, data []byte, mode fs.FileMode) (*Swapping, error) {
	dir, base, err := root.Target(path)
	if err != nil && old != nil {
		err = changedIfGone(err)
	}
	if err != nil {
		return nil, err
	}
	as := fileMode{mode, false}
	if old != nil {
		if as, err = modeOf(dir, base, old); err != nil {
			dir.Close()
			return nil, err
		}
	}
	p, err := begin(root, dir, base, as)
	if err != nil {
		return nil, err
	}
	if _, err := p.Write(data); err != nil {
		p.Abort()
		return nil, err
	}
	return &Swapping{pending: p, below: below(root, p), old: old, data: data}, p.flush()
}

// below is the path of a file below the folder that has its scratch folder.
func below(root nofollow.Root, p *Pending) string {
	if root == nofollow.Named {
		return p.base
	}
	path, err := filepath.Rel(string(root), p.path)
	if err != nil { // impossible: it was opened below root
		return p.base
	}
	return filepath.ToSlash(path)
}

// Abort discards the new content.
func (s *Swapping) Abort() { s.pending.Abort() }

// Commit gives the new content its name, or returns ErrChanged.
func (s *Swapping) Commit() error {
	p := s.pending
	err := p.named(func() error {
		if s.old == nil {
			return p.link()
		}
		return s.exchange()
	})
	if s.old == nil && errors.Is(err, fs.ErrExist) {
		return ErrChanged
	}
	return err
}

// modeOf is the mode of a file with the content old; ErrChanged if it has another.
func modeOf(dir *nofollow.Dir, base string, old []byte) (fileMode, error) {
	st, err := dir.Regular(base)
	if err != nil {
		return fileMode{}, changedIfGone(err)
	}
	return modeLike(st, 0), holds(filepath.Join(dir.Path(), base), old)
}

// holds returns ErrChanged unless the file has the content old.
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
