// Package nofollow opens, creates, renames and removes files below a trusted
// folder without following a symbolic link: not in the last name of a path, and
// not in any folder on the way. All that the tool writes goes through it.
//
// A tree that was cloned or unpacked may hold a link in the place of any file or
// folder. To write, lock or remove through it would change a file that its
// author chose. A look at the path before it is opened does not help, because a
// link can take its place in between; so each folder is opened from the one
// above it, and each name is used in an open folder.
//
// Reading may follow a link that stays below the trusted folder: see
// [Root.ReadFile]. What a link out of it leads to is not read either.
//
// The package knows nothing of what is in the files.
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

// Root is a trusted folder: the root of a workspace, or a folder that the user
// named. The way to it may lead through links; below it none is followed, and
// a path that is not below it is an error.
type Root string

// Named stands for no folder: a path was named by the user, say on the command
// line, and its links lead where the user wants to go.
const Named Root = ""

// LinkError says that there is a symbolic link where none is followed.
type LinkError struct {
	Path string // of the link
	To   string // what it says
	Out  bool   // links are followed, but not this one: it leads out of the trusted folder
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

// Is makes it one of the errors of [handoff/internal/file/regular], too.
func (e *LinkError) Is(target error) bool {
	return target == regular.ErrLink || target == regular.ErrNotRegular
}

// LinkAt is the error for a link at a path.
func LinkAt(path string) *LinkError {
	to, _ := os.Readlink(path) // for the message
	return &LinkError{Path: path, To: to}
}

// names are the names on the way from the root to a path, and the folder that
// they begin at.
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

// Target is [Root.Parent] for a file that is written: of a path that the user
// named a link is followed also in the last name, if it leads to something.
func (r Root) Target(path string) (d *Dir, name string, err error) {
	if r == Named {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
	}
	return r.Parent(path)
}

// OpenFile is os.OpenFile. A link in the place of the file is a [*LinkError],
// also one that leads to nothing, which os.OpenFile would create.
func (r Root) OpenFile(path string, flag int, mode fs.FileMode) (*os.File, error) {
	d, name, err := r.Target(path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.OpenFile(name, flag, mode)
}

// MkdirAll is os.MkdirAll. The trusted folder itself is created as well.
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
		d, err = r.Dir(path) // it may be a link that leads to nothing
	}
	if err != nil {
		return err
	}
	return d.Close()
}

// in calls do with the folder of a path and the last name.
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

// Remove is os.Remove: a link is removed itself.
func (r Root) Remove(path string) error { return r.in(path, (*Dir).Remove) }

// RemoveAll is os.RemoveAll.
func (r Root) RemoveAll(path string) error {
	err := r.in(path, (*Dir).RemoveAll)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Rename is os.Rename: a link that has either name is renamed or replaced
// itself.
func (r Root) Rename(from, to string) error { return r.two(from, to, (*Dir).renameTo) }

// Link is os.Link: a link gets a second name itself.
func (r Root) Link(from, to string) error { return r.two(from, to, (*Dir).linkTo) }

func (r Root) two(from, to string, do func(d *Dir, from string, other *Dir, to string) error) error {
	return r.in(from, func(d *Dir, name string) error {
		return r.in(to, func(other *Dir, as string) error { return do(d, name, other, as) })
	})
}

// Sync flushes a folder's entries: see [Dir.Sync].
func (r Root) Sync(path string) error {
	d, err := r.Dir(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Rename gives a file another name in the folder.
func (d *Dir) Rename(from, to string) error { return d.renameTo(from, d, to) }

// Link gives a file a second name in the folder.
func (d *Dir) Link(from, to string) error { return d.linkTo(from, d, to) }

// Regular describes a file of the folder. A link is a [*LinkError], and what is
// neither is an error as well.
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

// Path is the folder's path, as it was opened.
func (d *Dir) Path() string { return d.path }

func (d *Dir) join(name string) string { return d.path + string(filepath.Separator) + name }

// single refuses what is not one name.
func single(op, name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") || !filepath.IsLocal(name) || filepath.Base(name) != name {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return nil
}
