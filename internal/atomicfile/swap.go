package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
// exchange two names at once (Linux), its content is never lost: what was
// displaced is looked at after the exchange, when nobody has it open for
// writing any more, and put back unless it is old. For that moment readers see
// data. Elsewhere a write between our last look and the rename is lost.
func Swap(path string, old, data []byte, mode fs.FileMode) error {
	if old == nil {
		if err := Create(path, data, mode); !errors.Is(err, fs.ErrExist) {
			return err
		}
		return ErrChanged
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	st, err := os.Stat(path)
	if err != nil {
		return changedIfGone(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, old) {
		return errors.Join(err, ErrChanged)
	}
	p, err := begin(path, st.Mode().Perm())
	if err != nil {
		return err
	}
	if _, err := p.Write(data); err != nil {
		p.Abort()
		return err
	}
	return p.finish(func(temp string) error { return exchange(temp, path, old, data) })
}

func changedIfGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrChanged
	}
	return err
}

// replace is the exchange of systems that have none.
func replace(temp, path string, old []byte) error {
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, old) {
		return errors.Join(err, ErrChanged)
	}
	return os.Rename(temp, path)
}
