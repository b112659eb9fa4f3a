package gitwork

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
)

// Loss is what is lost if a path is restored.
type Loss string

// The losses.
const (
	None      Loss = ""
	Edited    Loss = "changed and not committed"
	Ignored   Loss = "ignored by git"
	Committed Loss = "changed by commits since"
	Blocked   Loss = "in the way" // a folder that is not empty, or a file or link where a folder must be
)

// Step is a path that a restore changes.
type Step struct {
	Path string
	To   File // no mode: it is removed
	Now  File // what is there; no mode for nothing, or what git does not know
	Loss Loss
}

// Plan compares what was changed from one tree to another with what the working tree has now:
// the steps that bring the changes back. Nothing is changed.
func (r *Repo) Plan(ctx context.Context, s *Scan, base, tree string) (steps []Step, err error) {
	if err := r.Check(ctx, tree); err != nil {
		return nil, err
	}
	wanted, err := r.Diff(ctx, base, tree)
	if err != nil {
		return nil, err
	}
	since, err := r.changedSince(ctx, base)
	if err != nil {
		return nil, err
	}
	p := planner{r, s, since, map[string]bool{}}
	for _, d := range wanted {
		if d.Was.Mode != "" {
			p.going[d.Path] = true
		}
	}
	for _, d := range wanted {
		if d.Mode == Module || d.Was.Mode == Module && d.Mode == "" {
			continue // the commits of a submodule are in its own repository
		}
		if one, ok := p.step(d); ok {
			steps = append(steps, one)
		}
	}
	return steps, nil
}

// planner looks at what a restore would change.
type planner struct {
	*Repo
	scan  *Scan
	since map[string]bool // paths that commits have changed
	going map[string]bool // files that are removed or replaced
}

func (p planner) step(d Difference) (s Step, ok bool) {
	now, _ := p.scan.At(d.Path)
	st, err := os.Lstat(p.full(d.Path))
	switch {
	case now == d.File && (now.Mode != "" || err != nil || st.IsDir()):
		return s, false
	case d.Mode == "" && (err != nil || st.IsDir()):
		return s, false // it is gone
	}
	return Step{d.Path, d.File, now, p.loss(d, now, st)}, true
}

// changedSince are the paths that commits have changed since a tree.
func (r *Repo) changedSince(ctx context.Context, base string) (map[string]bool, error) {
	since := map[string]bool{}
	if r.tree == base {
		return since, nil
	}
	list, err := r.Diff(ctx, base, r.tree)
	for _, d := range list {
		since[d.Path] = true
	}
	return since, err
}

// loss is what is lost if a path becomes what it was. st is what is there, nil for nothing.
func (p planner) loss(d Difference, now File, st fs.FileInfo) Loss {
	_, changed := slices.BinarySearchFunc(p.scan.Changed, d.Path, func(c Changed, name string) int { return strings.Compare(c.Path, name) })
	switch {
	case d.Mode != "" && p.blocked(d.Path), st != nil && st.IsDir() && !p.emptied(d.Path):
		return Blocked
	case now.Mode != "" && changed:
		return Edited
	case now.Mode == "" && st != nil && !st.IsDir():
		return Ignored
	case p.since[d.Path]:
		return Committed
	}
	return None
}

// blocked reports whether what is above a path is not a folder, and stays.
func (p planner) blocked(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		st, err := os.Lstat(p.full(dir))
		if err == nil && !st.IsDir() && !p.going[dir] {
			return true
		}
	}
	return false
}

// emptied reports whether nothing stays in a folder.
func (p planner) emptied(name string) bool {
	err := filepath.WalkDir(p.full(name), func(at string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !p.going[filepath.ToSlash(strings.TrimPrefix(at, p.Top+string(filepath.Separator)))] {
			err = fs.ErrExist
		}
		return err
	})
	return err == nil
}

// Apply does the steps: removes files, and folders that become empty, and then writes. Each
// file is replaced as a whole, so a run that is killed can be repeated.
func (r *Repo) Apply(ctx context.Context, steps []Step) error {
	w := writer{r.trusted(), r.Top, true}
	for _, s := range steps {
		if s.To.Mode == "" {
			if err := w.remove(s.Path); err != nil {
				return err
			}
		}
	}
	return w.write(ctx, r, steps)
}

// writer writes files below a folder.
type writer struct {
	root  nofollow.Root
	top   string
	whole bool // files are replaced as a whole
}

func (w writer) full(name string) string {
	return w.top + string(filepath.Separator) + filepath.FromSlash(name)
}

// remove removes a file, and the folders above it that are empty then.
func (w writer) remove(name string) error {
	err := w.root.Remove(w.full(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if w.root.Remove(w.full(dir)) != nil {
			return nil // something is in it
		}
	}
	return nil
}

func (w writer) write(ctx context.Context, r *Repo, steps []Step) error {
	var ids []string
	var files []Step
	for _, s := range steps {
		if s.To.Mode != "" && s.To.Mode != Module {
			ids, files = append(ids, s.To.ID), append(files, s)
		}
	}
	return r.Contents(ctx, ids, func(i int, src []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return w.file(files[i].Path, files[i].To.Mode, src)
	})
}

func (w writer) file(name, mode string, src []byte) error {
	full := w.full(name)
	if err := w.root.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		return err
	}
	d, base, err := w.root.Parent(full)
	if err != nil {
		return err
	}
	defer d.Close()
	if st, err := os.Lstat(full); err == nil && st.IsDir() {
		if err := d.Remove(base); err != nil {
			return fmt.Errorf("%s: a folder is in the way: %w", full, err)
		}
	}
	perm := fs.FileMode(0o666)
	if mode == Executable {
		perm = 0o777
	}
	switch {
	case mode == Link:
		return w.link(d, base, string(src))
	case w.whole:
		return atomicfile.WriteIn(w.root, d, base, src, perm)
	}
	f, err := d.OpenFile(base, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(src)
	return errors.Join(err, f.Close())
}

// link replaces what is there by a symbolic link.
func (w writer) link(d *nofollow.Dir, base, to string) error {
	temp := atomicfile.TempName()
	if err := d.Symlink(filepath.FromSlash(to), temp); err != nil {
		return err
	}
	err := d.Rename(temp, base)
	if err != nil {
		err = errors.Join(err, d.Remove(temp))
	}
	return err
}

// WriteTo writes all files of a tree into a new folder. It is filled under another name, beside
// its place, so that it never has a part of them only.
func (r *Repo) WriteTo(ctx context.Context, tree, dir string) error {
	if err := r.Check(ctx, tree); err != nil {
		return err
	}
	all, err := r.Diff(ctx, "", tree)
	if err != nil {
		return err
	}
	steps := make([]Step, len(all))
	for i, d := range all {
		steps[i] = Step{Path: d.Path, To: d.File}
	}
	above := filepath.Dir(dir)
	root := nofollow.Root(above)
	filling := filepath.Join(above, atomicfile.TempName())
	if err := root.MkdirAll(filling, 0o777); err != nil {
		return err
	}
	err = writer{nofollow.Root(filling), filling, false}.write(ctx, r, steps)
	if err == nil {
		err = r.place(root, filling, dir)
	}
	if err != nil {
		return errors.Join(err, root.RemoveAll(filling))
	}
	return root.Sync(above)
}

// place renames the folder. An empty folder of that name is replaced.
func (r *Repo) place(root nofollow.Root, filled, dir string) error {
	if err := root.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: not an empty folder: %w", dir, err)
	}
	return root.Rename(filled, dir)
}
