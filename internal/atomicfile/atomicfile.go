// Package atomicfile writes whole files: after a crash at any moment, or on a
// full disk, a path holds its old content or its new one, never a part.
//
// Each write goes to a temporary file in the same folder, is flushed to disk,
// and only then gets its name; then the folder is flushed, because without
// that a crash can forget the name. The package knows nothing of what is in
// the files. It relies on a local file system: rename and link are atomic.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Create writes a new file. Where the path is taken already it fails with
// fs.ErrExist and changes nothing, also when several processes try at once.
func Create(path string, data []byte, mode fs.FileMode) error {
	return write(path, data, mode, func(temp string) error { return create(temp, path) })
}

func create(temp, path string) error {
	err := os.Link(temp, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		os.Remove(temp)
		return err
	}
	return createWithoutLink(temp, path, err)
}

// createWithoutLink serves file systems without hard links: the name is taken
// first, by an empty file that nobody else can have made, and then replaced.
func createWithoutLink(temp, path string, linkErr error) error {
	if !errors.Is(linkErr, errors.ErrUnsupported) && !errors.Is(linkErr, fs.ErrPermission) {
		return linkErr
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	return os.Rename(temp, path)
}

// Write replaces the file's content, or makes the file. An existing file
// keeps its mode. A symbolic link is followed, so that the link stays a link.
func Write(path string, data []byte, mode fs.FileMode) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if st, err := os.Stat(path); err == nil {
		if !st.Mode().IsRegular() {
			return &fs.PathError{Op: "write", Path: path, Err: errors.New("not a regular file")}
		}
		mode = st.Mode().Perm()
	}
	return write(path, data, mode, func(temp string) error { return os.Rename(temp, path) })
}

func write(path string, data []byte, mode fs.FileMode, name func(temp string) error) error {
	p, err := begin(path, mode)
	if err != nil {
		return err
	}
	if _, err := p.Write(data); err != nil {
		p.Abort()
		return err
	}
	return p.finish(name)
}

// Pending is a file that is being written and has no name yet.
type Pending struct {
	temp *os.File
	path string
	mode fs.FileMode
}

// Begin starts to replace the file at path, or to make it. Until Commit the
// path holds what it held before.
func Begin(path string, mode fs.FileMode) (*Pending, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "write", Path: path, Err: errors.New("not a regular file")}
	}
	return begin(path, mode)
}

func begin(path string, mode fs.FileMode) (*Pending, error) {
	temp, err := os.CreateTemp(filepath.Dir(path), tempPrefix()+"*")
	if err != nil {
		return nil, about(path, err)
	}
	return &Pending{temp, path, mode}, nil
}

// about names the file that is written: the temporary one is nobody's business.
func about(path string, err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return &fs.PathError{Op: "write", Path: path, Err: pe.Err}
	}
	return err
}

func (p *Pending) Write(data []byte) (int, error) {
	n, err := p.temp.Write(data)
	return n, about(p.path, err)
}

// Abort throws away what was written.
func (p *Pending) Abort() {
	p.temp.Close()
	os.Remove(p.temp.Name())
}

// Commit gives the file its name.
func (p *Pending) Commit() error {
	return p.finish(func(temp string) error { return os.Rename(temp, p.path) })
}

// CommitNew gives the file its name like [Create]: a name that is taken is
// fs.ErrExist, and what was written is thrown away.
func (p *Pending) CommitNew() error {
	return p.finish(func(temp string) error { return create(temp, p.path) })
}

func (p *Pending) finish(name func(temp string) error) error {
	if err := p.flush(); err != nil {
		return err
	}
	return p.name(name)
}

// flush puts the content on the disk.
func (p *Pending) flush() error {
	steps := []func() error{
		func() error {
			if runtime.GOOS == "windows" {
				return nil // has no modes of this kind
			}
			return p.temp.Chmod(p.mode)
		},
		p.temp.Sync,
		p.temp.Close,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			p.Abort()
			return about(p.path, err)
		}
	}
	return nil
}

// name gives what was flushed its name.
func (p *Pending) name(name func(temp string) error) error {
	if err := name(p.temp.Name()); err != nil {
		p.Abort()
		return err
	}
	return SyncDir(filepath.Dir(p.path))
}

// Rename gives a file another name in the same folder, unless that name is
// taken: then it fails with fs.ErrExist.
func Rename(path, to string) error {
	if err := os.Link(path, to); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(to))
}

// SyncDir flushes a folder's entries. Windows keeps them in its journal and
// cannot open a folder for that.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
