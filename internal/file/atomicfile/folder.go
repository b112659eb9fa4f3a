package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"handoff/internal/file/nofollow"
)

// WriteIn replaces the content of a file in an open folder below root, or creates the file:
// after a crash at any moment the name has the old content or the new content. A
// symlink of that name is replaced, too; a folder is an error. The umask applies.
func WriteIn(root nofollow.Root, dir *nofollow.Dir, name string, data []byte, mode fs.FileMode) error {
	if err := PlaceIn(root, dir, name, data, mode); err != nil {
		return err
	}
	return dir.Sync()
}

// PlaceIn is [WriteIn] without its last step: a crash can lose the name until the
// folder is fsynced, which the caller does once for many files.
func PlaceIn(root nofollow.Root, dir *nofollow.Dir, name string, data []byte, mode fs.FileMode) error {
	_, err := placeIn(root, dir, name, mode, func(w io.Writer) (string, error) {
		_, err := w.Write(data)
		return name, err
	})
	return err
}

// StreamIn creates a file in an open folder whose name depends on its content: fill
// writes the content and returns the name, or "" to discard it. Otherwise it is
// [WriteIn].
func StreamIn(root nofollow.Root, dir *nofollow.Dir, mode fs.FileMode, fill func(io.Writer) (name string, err error)) error {
	placed, err := placeIn(root, dir, "", mode, fill)
	if placed {
		err = dir.Sync()
	}
	return err
}

func placeIn(root nofollow.Root, dir *nofollow.Dir, about string, mode fs.FileMode, fill func(io.Writer) (name string, err error)) (placed bool, err error) {
	p := &Pending{dir: dir, borrowed: true, name: tempName(), path: filepath.Join(dir.Path(), about), mode: fileMode{mode, false}}
	if err := p.open(root); err != nil {
		p.close()
		return false, err
	}
	if p.base, err = fill(p); err != nil || p.base == "" {
		p.Abort()
		return false, err
	}
	if err := p.flush(); err != nil {
		return false, err
	}
	if err := p.rename(); err != nil {
		p.Abort()
		return false, err
	}
	p.close()
	return true, nil
}

// MkdirAll creates a folder with its parents, and fsyncs each parent that got a new
// entry: otherwise a crash could lose the whole branch with the files in it.
func MkdirAll(root nofollow.Root, dir string, mode fs.FileMode) error {
	d, err := root.Dir(dir)
	if err == nil {
		return d.Close()
	}
	parent := filepath.Dir(dir)
	if !errors.Is(err, fs.ErrNotExist) || dir == string(root) || parent == dir {
		return err
	}
	if err := MkdirAll(root, parent, mode); err != nil {
		return err
	}
	return root.MkdirAll(dir, mode) // unlike Mkdir, no error if another process was faster
}

// Rename renames a file in its folder. If the new name exists, it fails with
// fs.ErrExist.
func Rename(root nofollow.Root, path, to string) error {
	if err := root.Link(path, to); err != nil {
		return err
	}
	if err := root.Remove(path); err != nil {
		return err
	}
	return root.Sync(filepath.Dir(to))
}
