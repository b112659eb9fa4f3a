// Package nofollow opens, creates, renames and removes files below a trusted folder
// without following symbolic links, neither in the last name of a path nor in the
// folders on the way. The tool writes all files through it.
//
// In a tree that was cloned or unpacked, any file or folder may be a link. Writing,
// locking or removing through it would change a file that the author of the tree
// chose. Checking the path before opening it does not help, because a link can replace
// it in between. So each folder is opened in the folder above it, and each name is
// used in an open folder.
//
// Reading may follow a link that stays below the trusted folder: see [Root.ReadFile].
// A link that leads out of it is not followed for reading either.
//
// Package os is not enough: [os.Root] follows links that stay in its folder, and
// checking each name before and after it is opened makes reading a thread's status
// 25% slower. Systems without openat do that.
package nofollow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"handoff/internal/file/regular"
)

// Root is a trusted folder: the root of a workspace, or a folder that the user named.
// The path to it may contain links. Below it no link is followed, and a path that is
// not below it is an error.
type Root string

// Named means no trusted folder: the user named the path, say on the command line, so its links
// are followed.
const Named Root = ""

// LinkError reports a symbolic link that is not followed.
type LinkError struct {
	Path string // of the link
	To   string // its target
	Out  bool   // links are followed, but this one leads out of the trusted folder
}

func (e *LinkError) Error() string {
	return e.Path + ": " + e.What()
}

// What is the error without the path.
func (e *LinkError) What() string {
	if e.Out {
		return fmt.Sprintf("is a symbolic link to %q, which leads out of the workspace", e.To)
	}
	return fmt.Sprintf("is a symbolic link to %q, which is not followed", e.To)
}

// Is makes it also one of the errors of [handoff/internal/file/regular].
func (e *LinkError) Is(target error) bool {
	return target == regular.ErrLink || target == regular.ErrNotRegular
}

// LinkAt returns the error for a link at a path.
func LinkAt(path string) *LinkError {
	to, _ := os.Readlink(path) // for the message
	return &LinkError{Path: path, To: to}
}

// names returns the names of a path below the root, and the folder that contains the
// first.
func (r Root) names(path string) (from string, names []string, err error) {
	if r == Named {
		real, err := filepath.EvalSymlinks(path)
		return real, nil, err
	}
	from = string(r)
	if path == from {
		return from, nil, nil
	}
	rel, ok := strings.CutPrefix(path, from)
	if ok && len(rel) > 1 && os.IsPathSeparator(rel[0]) && filepath.IsLocal(rel[1:]) {
		rel = filepath.Clean(rel[1:])
	} else if rel, err = filepath.Rel(from, path); err != nil || !filepath.IsLocal(rel) {
		return "", nil, &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("not below %s", from)}
	}
	if rel == "." {
		return from, nil, nil
	}
	return from, strings.Split(rel, string(filepath.Separator)), nil
}

// Dir opens a folder.
func (r Root) Dir(path string) (*Dir, error) {
	from, names, err := r.names(path)
	if err != nil {
		return nil, err
	}
	d, err := openDir(from)
	for _, name := range names {
		if err != nil {
			break
		}
		above := d
		d, err = above.Dir(name)
		above.Close()
	}
	return d, err
}

// Parent opens the folder of a path, and returns the path's last name.
func (r Root) Parent(path string) (d *Dir, name string, err error) {
	d, err = r.Dir(filepath.Dir(path))
	return d, filepath.Base(path), err
}

// Target is [Root.Parent] for a file that is written: in a path that the user named, the
// last name is followed, too, unless it is a dangling link.
func (r Root) Target(path string) (d *Dir, name string, err error) {
	if r == Named {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
	}
	return r.Parent(path)
}

// OpenFile is os.OpenFile. If the path is a link, the error is a [*LinkError], also for
// a dangling link, whose target os.OpenFile would create.
func (r Root) OpenFile(path string, flag int, mode fs.FileMode) (*os.File, error) {
	d, name, err := r.Target(path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.OpenFile(name, flag, mode)
}

// MkdirAll is os.MkdirAll. It also creates the trusted folder.
func (r Root) MkdirAll(path string, mode fs.FileMode) error {
	if r == Named || filepath.Clean(path) == filepath.Clean(string(r)) {
		return os.MkdirAll(path, mode)
	}
	d, err := r.Dir(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := r.MkdirAll(filepath.Dir(path), mode); err != nil {
			return err
		}
		if err := r.Mkdir(path, mode); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		// Otherwise a power failure could lose the folder with the files in it.
		if err := r.Sync(filepath.Dir(path)); err != nil {
			return err
		}
		d, err = r.Dir(path) // it may be a dangling link
	}
	if err != nil {
		return err
	}
	return d.Close()
}

// in calls do with the folder and the last name of a path.
func (r Root) in(path string, do func(d *Dir, name string) error) error {
	d, name, err := r.Parent(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return do(d, name)
}

// Mkdir is os.Mkdir.
func (r Root) Mkdir(path string, mode fs.FileMode) error {
	return r.in(path, func(d *Dir, name string) error { return d.Mkdir(name, mode) })
}

// Remove is os.Remove: it removes a link itself.
func (r Root) Remove(path string) error { return r.in(path, (*Dir).Remove) }

// RemoveAll is os.RemoveAll.
func (r Root) RemoveAll(path string) error {
	err := r.in(path, (*Dir).RemoveAll)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Rename is os.Rename: it renames or replaces a link itself.
func (r Root) Rename(from, to string) error { return r.two(from, to, (*Dir).RenameTo) }

// Link is os.Link: a link itself gets a second name.
func (r Root) Link(from, to string) error { return r.two(from, to, (*Dir).LinkTo) }

func (r Root) two(from, to string, do func(d *Dir, from string, other *Dir, to string) error) error {
	return r.in(from, func(d *Dir, name string) error {
		return r.in(to, func(other *Dir, as string) error { return do(d, name, other, as) })
	})
}

// Sync fsyncs a folder's entries: see [Dir.Sync].
func (r Root) Sync(path string) error {
	d, err := r.Dir(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Rename renames a file in the folder.
func (d *Dir) Rename(from, to string) error { return d.RenameTo(from, d, to) }

// Regular describes a regular file of the folder. A link is a [*LinkError]; anything else
// is [regular.ErrNotRegular].
func (d *Dir) Regular(name string) (fs.FileInfo, error) {
	st, err := os.Lstat(d.join(name))
	switch {
	case err != nil:
		return nil, err
	case st.Mode()&fs.ModeSymlink != 0:
		return nil, LinkAt(d.join(name))
	case !st.Mode().IsRegular():
		return nil, &fs.PathError{Op: "write", Path: d.join(name), Err: regular.ErrNotRegular}
	}
	return st, nil
}

// Path is the path with which the folder was opened.
func (d *Dir) Path() string { return d.path }

func (d *Dir) join(name string) string { return d.path + string(filepath.Separator) + name }

// single returns an error for anything but a single name.
func single(op, name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") || !filepath.IsLocal(name) || filepath.Base(name) != name {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return nil
}
