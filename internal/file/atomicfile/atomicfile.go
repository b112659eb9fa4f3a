// Package atomicfile writes whole files: after a crash at any moment, or on a full
// disk, a path has its old content or its new content, never a part of it.
//
// Each write goes to a temporary file in the [Scratch] folder, which is fsynced and then
// renamed into place; then the folder of the file is fsynced, because without that a
// crash can lose the new name. The scratch folder is not fsynced: what a crash leaves in
// it is swept, and a rename or exchange reaches the disk as a whole. The package does not
// interpret the files. It relies on a local file system, where rename and link are
// atomic. Callers name a file by a trusted folder and a path below it; no symlink on the
// way is followed: see [handoff/internal/file/nofollow].
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"handoff/internal/file/nofollow"
)

// Create writes a new file; the umask applies to its mode. If the path exists it
// fails with fs.ErrExist and changes nothing, also if several processes try at
// once.
func Create(root nofollow.Root, path string, data []byte, mode fs.FileMode) error {
	p, err := BeginNew(root, path, mode)
	return p.fill(data, err, (*Pending).CommitNew)
}

// Write replaces the content of a file, or creates the file. An existing file keeps
// its mode. A symlink below root is a [*nofollow.LinkError]; one that the user named
// is followed and stays a symlink.
func Write(root nofollow.Root, path string, data []byte, mode fs.FileMode) error {
	p, err := Begin(root, path, mode)
	return p.fill(data, err, (*Pending).Commit)
}

// Pending is a new file that is being written and does not have its name yet.
type Pending struct {
	dir      *nofollow.Dir // of the file
	at       *nofollow.Dir // of the temporary file: the scratch folder, or dir
	borrowed bool          // dir belongs to the caller
	temp     *os.File
	name     string // of the temporary file
	base     string // the final name
	path     string // for errors
	mode     fileMode
}

// fileMode is the mode of a new file.
type fileMode struct {
	fs.FileMode
	kept bool // copied from the file that is replaced, so the umask does not apply
}

// modeLike is the mode of the existing file, or the given mode if there is none.
func modeLike(st fs.FileInfo, mode fs.FileMode) fileMode {
	if st == nil {
		return fileMode{mode, false}
	}
	return fileMode{st.Mode().Perm(), true}
}

// Begin starts to replace the file at path, or to create it. Until Commit the path
// keeps its content. Symlinks and modes are treated as in [Write].
func Begin(root nofollow.Root, path string, mode fs.FileMode) (*Pending, error) {
	dir, base, err := root.Target(path)
	if err != nil {
		return nil, about(path, err)
	}
	st, err := dir.Regular(base)
	dangling := root == nofollow.Named && errors.As(err, new(*nofollow.LinkError))
	if errors.Is(err, fs.ErrNotExist) || dangling { // a dangling symlink is replaced
		st, err = nil, nil
	}
	if err != nil {
		dir.Close()
		return nil, err
	}
	return begin(root, dir, base, modeLike(st, mode))
}

// BeginNew starts to create a file whose content is not in memory;
// [Pending.CommitNew] finishes it, with the result of [Create].
func BeginNew(root nofollow.Root, path string, mode fs.FileMode) (*Pending, error) {
	dir, base, err := root.Parent(path)
	if err != nil {
		return nil, about(path, err)
	}
	return begin(root, dir, base, fileMode{mode, false})
}

// begin creates the temporary file. It takes over the folder.
func begin(root nofollow.Root, dir *nofollow.Dir, base string, mode fileMode) (*Pending, error) {
	p := &Pending{dir: dir, name: tempName(), base: base, path: filepath.Join(dir.Path(), base), mode: mode}
	if err := p.open(root); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// open creates the temporary file in the scratch folder, or beside the file if that
// fails.
func (p *Pending) open(root nofollow.Root) (err error) {
	if p.at, err = scratch(root, p.dir); err != nil {
		p.at = p.dir
		return err
	}
	if p.at != p.dir && p.create() != nil {
		p.leaveScratch()
	}
	if p.at == p.dir {
		err = p.create()
	}
	return about(p.path, err)
}

func (p *Pending) create() (err error) {
	first := p.mode.FileMode
	if p.mode.kept {
		first = 0o600 // until it is flushed
	}
	if p.temp, err = p.at.OpenFile(p.name, os.O_CREATE|os.O_EXCL|os.O_RDWR, first); err != nil || p.at == p.dir {
		return err
	}
	if err = inherit(p.temp, p.dir); err != nil {
		p.temp.Close()
		p.at.Remove(p.name)
	}
	return err
}

// close closes the folders, but not one that belongs to the caller.
func (p *Pending) close() {
	p.leaveScratch()
	if !p.borrowed {
		p.dir.Close()
	}
}

// about makes an error name the file instead of the temporary file, which means
// nothing to a user.
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

// fill writes the whole content and commits, unless beginning failed.
func (p *Pending) fill(data []byte, err error, commit func(*Pending) error) error {
	if err != nil {
		return err
	}
	if _, err := p.Write(data); err != nil {
		p.Abort()
		return err
	}
	return commit(p)
}

// Abort discards what was written.
func (p *Pending) Abort() {
	p.temp.Close()
	p.at.Remove(p.name)
	p.close()
}

// Commit renames the file into place.
func (p *Pending) Commit() error {
	return p.finish(p.rename)
}

func (p *Pending) rename() error {
	return p.near(func() error { return p.at.RenameTo(p.name, p.dir, p.base) })
}

// CommitNew is Commit for a name that must be free, as in [Create]: if it exists, the
// error is fs.ErrExist, and what was written is discarded.
func (p *Pending) CommitNew() error {
	return p.finish(p.link)
}

func (p *Pending) finish(name func() error) error {
	if err := p.flush(); err != nil {
		return err
	}
	return p.named(name)
}

// flush fsyncs the content.
func (p *Pending) flush() error {
	var err error
	if p.mode.kept && runtime.GOOS != "windows" { // which has no such modes
		err = p.temp.Chmod(p.mode.FileMode)
	}
	if err == nil {
		err = p.temp.Sync()
	}
	if err == nil {
		err = p.temp.Close()
	}
	if err != nil {
		p.Abort()
	}
	return about(p.path, err)
}

// named gives the flushed file its name and fsyncs the folder.
func (p *Pending) named(name func() error) error {
	if err := name(); err != nil {
		p.Abort()
		return err
	}
	defer p.close()
	return p.dir.Sync()
}

// link gives the temporary file its name if that is free.
func (p *Pending) link() error { return p.near(p.linkHere) }

func (p *Pending) linkHere() error {
	err := p.at.LinkTo(p.name, p.dir, p.base)
	if err == nil || errors.Is(err, fs.ErrExist) {
		p.at.Remove(p.name)
		return err
	}
	if !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	// A file system without hard links: reserve the name with an empty file, which
	// only one process can create, and replace that.
	f, err := p.dir.OpenFile(p.base, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	return p.rename()
}
