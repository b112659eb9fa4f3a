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
// No step can leave the folder. That a name is no link is looked at before it is
// opened: one that takes its place in between, and leads to something in the
// folder, is followed.
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

// Close lets go of the folder.
func (d *Dir) Close() error { return d.root.Close() }

// look is a [*LinkError] where the name is that of a link. What is not there is
// none.
func (d *Dir) look(op, name string) error {
	if err := single(op, name); err != nil {
		return err
	}
	if st, err := d.root.Lstat(name); err == nil && st.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0 { // the latter: a junction
		return LinkAt(d.join(name))
	}
	return nil
}

// Dir opens a folder in it.
func (d *Dir) Dir(name string) (*Dir, error) {
	if err := d.look("open", name); err != nil {
		return nil, err
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &Dir{d.join(name), root}, nil
}

// OpenFile is os.OpenFile in the folder; a link is a [*LinkError], and what is
// no regular file [regular.ErrNotRegular].
func (d *Dir) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	if err := d.look("open", name); err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, &fs.PathError{Op: "open", Path: d.join(name), Err: regular.ErrNotRegular})
	}
	return f, nil
}

// Mkdir creates a folder.
func (d *Dir) Mkdir(name string, mode fs.FileMode) error {
	if err := single("mkdir", name); err != nil {
		return err
	}
	return d.root.Mkdir(name, mode)
}

// Remove removes a file, a link, or an empty folder.
func (d *Dir) Remove(name string) error { return d.root.Remove(name) }

// RemoveAll removes a file, or a folder with all that is in it.
func (d *Dir) RemoveAll(name string) error { return d.root.RemoveAll(name) }

// Sync flushes the entries: without that a crash can forget a new name. Windows
// keeps them in its journal and cannot open a folder for that.
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

func (d *Dir) renameTo(from string, other *Dir, to string) error {
	if err := errors.Join(single("rename", from), single("rename", to)); err != nil {
		return err
	}
	if d == other {
		return d.root.Rename(from, to)
	}
	return os.Rename(d.join(from), other.join(to)) // os.Root renames within one folder only
}

func (d *Dir) linkTo(from string, other *Dir, to string) error {
	if err := errors.Join(single("link", from), single("link", to)); err != nil {
		return err
	}
	if d == other {
		return d.root.Link(from, to)
	}
	return os.Link(d.join(from), other.join(to))
}

// Exchange is not known here.
func (d *Dir) Exchange(_, _ string) error { return errors.ErrUnsupported }

// Chtimes sets the time of a file; a link has its own.
func (d *Dir) Chtimes(name string, modified time.Time) error {
	if err := d.look("chtimes", name); err != nil {
		return err
	}
	return d.root.Chtimes(name, time.Time{}, modified)
}
