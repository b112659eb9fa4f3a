// Package atomicfile writes whole files: after a crash at any moment, or on a
// full disk, a path holds its old content or its new one, never a part.
//
// Each write goes to a temporary file in the same folder, is flushed to disk,
// and only then gets its name; then the folder is flushed, because without
// that a crash can forget the name. The package knows nothing of what is in
// the files. It relies on a local file system: rename and link are atomic. What
// is written is named by a trusted folder and a path below it, and no link is
// followed on the way: see [handoff/internal/file/nofollow].
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"handoff/internal/file/nofollow"
)

// fileMode is the mode that a file gets.
type fileMode struct {
	fs.FileMode
	kept bool // it is that of the file which is replaced, so the umask does not count
}

func newMode(mode fs.FileMode) fileMode { return fileMode{mode, false} }

// modeLike is the mode of what is replaced; for nothing, that of a new file.
func modeLike(st fs.FileInfo, mode fs.FileMode) fileMode {
	if st == nil {
		return newMode(mode)
	}
	return fileMode{st.Mode().Perm(), true}
}

// Create writes a new file, whose mode the umask limits. Where the path is taken already it fails with
// fs.ErrExist and changes nothing, also when several processes try at once.
func Create(root nofollow.Root, path string, data []byte, mode fs.FileMode) error {
	p, err := BeginNew(root, path, mode)
	if err != nil {
		return err
	}
	return fill(p, data, (*Pending).CommitNew)
}

// create gives the temporary file its name unless that is taken.
func create(dir *nofollow.Dir, temp, base string) error {
	err := dir.Link(temp, base)
	if err == nil || errors.Is(err, fs.ErrExist) {
		dir.Remove(temp)
		return err
	}
	return createWithoutLink(dir, temp, base, err)
}

// createWithoutLink serves file systems without hard links: the name is taken
// first, by an empty file that nobody else can have made, and then replaced.
func createWithoutLink(dir *nofollow.Dir, temp, base string, linkErr error) error {
	if !errors.Is(linkErr, errors.ErrUnsupported) && !errors.Is(linkErr, fs.ErrPermission) {
		return linkErr
	}
	f, err := dir.OpenFile(base, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	return dir.Rename(temp, base)
}

// Write replaces the file's content, or creates the file. An existing file
// keeps its mode. A symbolic link below root is a [*nofollow.LinkError]; one
// that the user named is followed, so that the link stays a link.
func Write(root nofollow.Root, path string, data []byte, mode fs.FileMode) error {
	dir, base, st, err := target(root, path)
	if err != nil {
		return err
	}
	return write(dir, base, data, modeLike(st, mode), (*Pending).Commit)
}

// target is the folder and the name of a file that is to be replaced, and what
// has that name now, nil for nothing.
func target(root nofollow.Root, path string) (dir *nofollow.Dir, base string, st fs.FileInfo, err error) {
	dir, base, err = root.Target(path)
	if err != nil {
		return nil, "", nil, about(path, err)
	}
	st, err = dir.Regular(base)
	if errors.Is(err, fs.ErrNotExist) || root == nofollow.Named && errors.As(err, new(*nofollow.LinkError)) { // to nothing: replaced
		return dir, base, nil, nil
	}
	if err != nil {
		dir.Close()
		return nil, "", nil, err
	}
	return dir, base, st, nil
}

func write(dir *nofollow.Dir, base string, data []byte, mode fileMode, commit func(*Pending) error) error {
	p, err := begin(dir, base, mode)
	if err != nil {
		return err
	}
	return fill(p, data, commit)
}

func fill(p *Pending, data []byte, commit func(*Pending) error) error {
	if _, err := p.Write(data); err != nil {
		p.Abort()
		return err
	}
	return commit(p)
}

// Pending is a file that is being written and has no name yet.
type Pending struct {
	dir  *nofollow.Dir
	temp *os.File
	name string // of the temporary file
	base string
	path string
	mode fileMode
}

// Begin starts to replace the file at path, or to create it. Until Commit the
// path holds what it held before. Links and modes are treated as in [Write].
func Begin(root nofollow.Root, path string, mode fs.FileMode) (*Pending, error) {
	dir, base, st, err := target(root, path)
	if err != nil {
		return nil, err
	}
	return begin(dir, base, modeLike(st, mode))
}

// BeginNew starts to create a file that is too large for [Create], which gets its
// bytes at once: [Pending.CommitNew] ends it, with the same result.
func BeginNew(root nofollow.Root, path string, mode fs.FileMode) (*Pending, error) {
	dir, base, err := root.Parent(path)
	if err != nil {
		return nil, about(path, err)
	}
	return begin(dir, base, newMode(mode))
}

// begin takes the folder over.
func begin(dir *nofollow.Dir, base string, mode fileMode) (*Pending, error) {
	name, path := tempName(), filepath.Join(dir.Path(), base)
	first := mode.FileMode
	if mode.kept {
		first = 0o600 // until it is flushed
	}
	temp, err := dir.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, first)
	if err != nil {
		dir.Close()
		return nil, about(path, err)
	}
	return &Pending{dir, temp, name, base, path, mode}, nil
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
	p.dir.Remove(p.name)
	p.dir.Close()
}

// Commit gives the file its name.
func (p *Pending) Commit() error {
	return p.finish(func() error { return p.dir.Rename(p.name, p.base) })
}

// CommitNew gives the file its name like [Create]: a name that is taken is
// fs.ErrExist, and what was written is thrown away.
func (p *Pending) CommitNew() error {
	return p.finish(func() error { return create(p.dir, p.name, p.base) })
}

func (p *Pending) finish(name func() error) error {
	if err := p.flush(); err != nil {
		return err
	}
	return p.named(name)
}

// flush puts the content on the disk.
func (p *Pending) flush() error {
	steps := []func() error{
		func() error {
			if !p.mode.kept || runtime.GOOS == "windows" { // which has no modes of this kind
				return nil
			}
			return p.temp.Chmod(p.mode.FileMode)
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

// named gives what was flushed its name.
func (p *Pending) named(name func() error) error {
	if err := name(); err != nil {
		p.Abort()
		return err
	}
	defer p.dir.Close()
	return p.dir.Sync()
}

// MkdirAll creates a folder with its parents, and flushes each parent that got a
// new entry: else a crash could forget the whole branch with the files in it.
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
	if err := root.MkdirAll(dir, mode); err != nil { // unlike Mkdir, content when another process was faster
		return err
	}
	return root.Sync(parent)
}

// Rename gives a file another name in the same folder, unless that name is
// taken: then it fails with fs.ErrExist.
func Rename(root nofollow.Root, path, to string) error {
	if err := root.Link(path, to); err != nil {
		return err
	}
	if err := root.Remove(path); err != nil {
		return err
	}
	return root.Sync(filepath.Dir(to))
}
