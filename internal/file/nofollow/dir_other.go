//go:build !(darwin || freebsd || linux || netbsd || openbsd)

package nofollow

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"time"

	"handoff/internal/file/regular"
)

// Dir is an open folder. Names in it are single names. Any number of goroutines
// may use it.
//
// [os.Root] does not leave the folder, but follows symlinks in it. So each name is
// checked before it is opened, and afterwards whether the same file was opened.
type Dir struct {
	path string
	root *os.Root
}

func openDir(path string) (*Dir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Dir{path, root}, nil
}

// Close closes the folder.
func (d *Dir) Close() error { return d.root.Close() }

// lstat describes the entry with a name; a symlink is a [*LinkError].
func (d *Dir) lstat(op, name string) (fs.FileInfo, error) {
	if err := single(op, name); err != nil {
		return nil, err
	}
	st, err := d.root.Lstat(name)
	if err == nil && st.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0 { // the latter: a junction
		return nil, LinkAt(d.join(name))
	}
	return st, err
}

// replacedOften is how often a name may be replaced between check and opening before
// that is an error.
const replacedOften = 100

// Dir opens a folder in it.
func (d *Dir) Dir(name string) (*Dir, error) {
	for range replacedOften {
		listed, err := d.lstat("open", name)
		if err != nil {
			return nil, err
		}
		root, err := d.root.OpenRoot(name)
		if err != nil {
			return nil, err
		}
		if opened, err := root.Stat("."); err == nil && os.SameFile(listed, opened) {
			return &Dir{d.join(name), root}, nil
		}
		root.Close()
	}
	return nil, d.replaced(name)
}

func (d *Dir) replaced(name string) error {
	return &fs.PathError{Op: "open", Path: d.join(name), Err: errors.New("replaced every time it was opened")}
}

// OpenFile is os.OpenFile in the folder; a link is a [*LinkError], and what is not a
// regular file is [regular.ErrNotRegular].
func (d *Dir) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	for range replacedOften {
		listed, err := d.lstat("open", name)
		isNew := errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0
		switch {
		case isNew, err == nil && flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL:
			f, err := d.root.OpenFile(name, flag|os.O_EXCL, mode) // follows no link
			if isNew && flag&os.O_EXCL == 0 && errors.Is(err, fs.ErrExist) {
				continue
			}
			return f, err
		case err != nil:
			return nil, err
		case !listed.Mode().IsRegular():
			return nil, &fs.PathError{Op: "open", Path: d.join(name), Err: regular.ErrNotRegular}
		}
		f, err := d.root.OpenFile(name, flag&^(os.O_CREATE|os.O_TRUNC), 0)
		if err != nil {
			return nil, err
		}
		if opened, err := f.Stat(); err == nil && os.SameFile(listed, opened) {
			if flag&os.O_TRUNC != 0 {
				err = f.Truncate(0)
			}
			return f, err
		}
		f.Close()
	}
	return nil, d.replaced(name)
}

// Mkdir creates a folder.
func (d *Dir) Mkdir(name string, mode fs.FileMode) error {
	if err := single("mkdir", name); err != nil {
		return err
	}
	return d.root.Mkdir(name, mode)
}

// Symlink creates a symbolic link. Its target is not looked at.
func (d *Dir) Symlink(target, name string) error {
	if err := single("symlink", name); err != nil {
		return err
	}
	return d.root.Symlink(target, name)
}

// Remove removes a file, a link, or an empty folder. [os.Root] asks Windows to do so as POSIX says, which
// not every file system there does; then it is removed by its path.
func (d *Dir) Remove(name string) error {
	err := d.root.Remove(name)
	if err == nil || runtime.GOOS != "windows" || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := single("remove", name); err != nil {
		return err
	}
	return os.Remove(d.join(name))
}

// RemoveAll removes a file, or a folder with everything in it.
func (d *Dir) RemoveAll(name string) error { return d.root.RemoveAll(name) }

// Sync fsyncs the entries: without that a crash can lose a new name. Windows writes
// them to its journal and cannot open a folder for this.
func (d *Dir) Sync() error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// RenameTo renames a file of the folder to a name in another folder.
func (d *Dir) RenameTo(from string, other *Dir, to string) error {
	return d.between("rename", from, other, to, d.root.Rename, os.Rename)
}

// LinkTo gives a file of the folder a second name in another folder.
func (d *Dir) LinkTo(from string, other *Dir, to string) error {
	return d.between("link", from, other, to, d.root.Link, os.Link)
}

// between calls in for two names of this folder. [os.Root] cannot do so for two
// folders: then it calls across with the paths.
func (d *Dir) between(op, from string, other *Dir, to string, in, across func(from, to string) error) error {
	if err := errors.Join(single(op, from), single(op, to)); err != nil {
		return err
	}
	if d == other {
		return in(from, to)
	}
	return across(d.join(from), other.join(to))
}

// Exchange is not supported here.
func (d *Dir) Exchange(_ string, _ *Dir, _ string) error { return errors.ErrUnsupported }

// Chtimes sets the time of a file.
func (d *Dir) Chtimes(name string, modified time.Time) error {
	if _, err := d.lstat("chtimes", name); err != nil {
		return err
	}
	return d.root.Chtimes(name, time.Time{}, modified)
}
