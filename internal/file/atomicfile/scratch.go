package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
)

// Scratch is the folder of temporary files below a trusted folder, with forward
// slashes. Git ignores it and programs do not list it. Beside the files that are
// written, a `git add` at the same moment would commit temporary files, or fail because
// they are gone when it reads them.
//
// It is created where the folder above it exists. Elsewhere, and if it cannot be used
// (no permission, another file system), temporary files are beside the files.
const Scratch = scratchIn + "/tmp"

const scratchIn = ".handoff"

// scratch opens the folder for the temporary files of dir, which is dir itself if root
// has none. For a file that the user named, the scratch folder is that of the file's
// own folder: no other is trusted. A symlink on the way to it is a
// [*nofollow.LinkError], as on the way to any file below root.
func scratch(root nofollow.Root, dir *nofollow.Dir) (*nofollow.Dir, error) {
	from := root
	if root == nofollow.Named {
		from = nofollow.Root(dir.Path())
	}
	d, err := openScratch(from)
	switch {
	case err == nil:
		return d, nil
	case root != nofollow.Named && errors.As(err, new(*nofollow.LinkError)):
		return nil, err
	}
	return dir, nil
}

func openScratch(root nofollow.Root) (*nofollow.Dir, error) {
	path := scratchPath(root)
	d, err := root.Dir(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = root.Mkdir(path, 0o755); err == nil || errors.Is(err, fs.ErrExist) {
			d, err = root.Dir(path)
		}
	}
	if err != nil {
		return nil, err
	}
	if err := ignoreAll(d); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func scratchPath(root nofollow.Root) string {
	return filepath.Join(string(root), filepath.FromSlash(Scratch))
}

// ignoreAll creates the .gitignore of the scratch folder, because nothing else may
// exclude it from git. Any number of processes may write the same bytes at once, and
// what a killed one left empty is written again.
func ignoreAll(d *nofollow.Dir) error {
	const name = ".gitignore"
	switch st, err := d.Regular(name); {
	case err == nil && st.Size() > 0, errors.Is(err, regular.ErrNotRegular):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	f, err := d.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString("*\n")
	return errors.Join(err, f.Close())
}

// near calls name, which gives the temporary file its name. If the scratch folder is
// on another file system, it moves the temporary file beside the file and calls name
// again.
func (p *Pending) near(name func() error) error {
	err := name()
	if p.at == p.dir || !errors.Is(err, syscall.EXDEV) {
		return err
	}
	if err := p.moveBeside(); err != nil {
		return err
	}
	return name()
}

// moveBeside moves the flushed temporary file from the scratch folder to the folder of
// the file.
func (p *Pending) moveBeside() error {
	to := tempName()
	err := p.at.RenameTo(p.name, p.dir, to)
	if errors.Is(err, syscall.EXDEV) {
		err = p.copyBeside(to)
	}
	if err != nil {
		return about(p.path, err)
	}
	p.leaveScratch()
	p.name = to
	return nil
}

func (p *Pending) copyBeside(to string) error {
	from, err := p.at.OpenFile(p.name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer from.Close()
	st, err := from.Stat()
	if err != nil {
		return err
	}
	q := &Pending{dir: p.dir, at: p.dir, borrowed: true, name: to, path: p.path, mode: fileMode{st.Mode().Perm(), true}}
	if err := q.create(); err != nil {
		return err
	}
	if _, err := io.Copy(q.temp, from); err != nil {
		q.Abort()
		return err
	}
	if err := q.flush(); err != nil {
		return err
	}
	_ = p.at.Remove(p.name) // what stays is swept
	return nil
}

// leaveScratch makes the folder of the file that of the temporary file, too.
func (p *Pending) leaveScratch() {
	if p.at != p.dir {
		p.at.Close()
		p.at = p.dir
	}
}

// SweepScratch is [Sweep] of the scratch folder of root. It returns the unfinished
// exchanges by the path of their file. The folder can come with a hostile tree, so call
// [Finish] only for files that the author of the tree may replace.
func SweepScratch(root nofollow.Root) map[string][]string {
	if root == nofollow.Named {
		return nil
	}
	var unfinished map[string][]string
	for _, at := range Sweep(root, scratchPath(root)) {
		h, _ := parseHeld(filepath.Base(at))
		file := h.file(root, at)
		if unfinished == nil {
			unfinished = map[string][]string{}
		}
		unfinished[file] = append(unfinished[file], at)
	}
	return unfinished
}

// file is the path of the file of an exchange, whose other file is at a path.
func (h held) file(root nofollow.Root, at string) string {
	top, ok := strings.CutSuffix(filepath.Dir(at), string(filepath.Separator)+filepath.FromSlash(Scratch))
	if ok && (root == nofollow.Named || top == filepath.Clean(string(root))) {
		return filepath.Join(top, filepath.FromSlash(unescaped.Replace(h.base)))
	}
	return filepath.Join(filepath.Dir(at), h.base)
}

// In the scratch folder, the name of an exchange has the path of the file below the
// trusted folder.
var escaped, unescaped = strings.NewReplacer("%", "%25", "/", "%2F"), strings.NewReplacer("%25", "%", "%2F", "/")
