package gitindex

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"handoff/internal/file/regular"
)

// LeftOut is what a sparse checkout keeps out of the working tree: files that git tracks and
// the disk does not have, and their folders. The zero value has none.
type LeftOut struct {
	top  string // of the working tree
	list []string
}

// Has reports whether the file or folder at a path is left out, and whether it is a folder.
func (l LeftOut) Has(full string) (is, folder bool) {
	name := l.below(full)
	if _, file := slices.BinarySearch(l.list, name); file || name == "" {
		return file, false
	}
	some := len(l.in(name)) > 0
	return some, some
}

// In lists the files that are left out below a folder, by their paths in it, in order.
func (l LeftOut) In(full string) (names []string) {
	name := l.below(full)
	for _, file := range l.in(name) {
		names = append(names, strings.TrimPrefix(strings.TrimPrefix(file, name), "/"))
	}
	return names
}

func (l LeftOut) in(name string) []string {
	if name == "." {
		return l.list
	}
	dir := name + "/"
	from, _ := slices.BinarySearch(l.list, dir)
	to, _ := slices.BinarySearch(l.list, name+"0") // the character after the slash
	return l.list[from:to]
}

// below is a path below the top; "" for one that is not there.
func (l LeftOut) below(full string) string {
	if len(l.list) == 0 {
		return ""
	}
	rel, err := filepath.Rel(l.top, resolved(full))
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// resolved is a path without the symlinks of those of its folders that exist.
func resolved(full string) string {
	if real, err := filepath.EvalSymlinks(full); err == nil {
		return real
	}
	dir := filepath.Dir(full)
	if dir == full {
		return full
	}
	return filepath.Join(resolved(dir), filepath.Base(full))
}

// LeftOut finds out what is left out of the tree. In a tree that never was sparse this asks for one file;
// what git answered is kept until the index has changed.
func (t *Tree) LeftOut(ctx context.Context) LeftOut {
	if regular.KindOf(filepath.Join(t.d.git, "info", "sparse-checkout")) == regular.Nothing {
		return LeftOut{}
	}
	st, err := os.Stat(filepath.Join(t.d.git, "index"))
	if err != nil {
		return LeftOut{}
	}
	c := &t.sparse
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file != nil && unchanged(c.file, st) {
		return c.left
	}
	out, err := output(ctx, t.top, "-c", "core.fsmonitor=false", "ls-files", "-t", "-z", "--full-name", ":/")
	if err != nil {
		return LeftOut{}
	}
	left := LeftOut{top: t.top}
	for record := range strings.SplitSeq(string(out), "\x00") {
		if name, is := strings.CutPrefix(record, "S "); is {
			left.list = append(left.list, name)
		}
	}
	c.file, c.left = st, left
	return left
}

// cachedLeftOut is what git answered, and the state of the index then.
type cachedLeftOut struct {
	mu   sync.Mutex
	file os.FileInfo
	left LeftOut
}

// FindLeftOut is [Tree.LeftOut] of the working tree that contains a folder.
func FindLeftOut(ctx context.Context, dir string) LeftOut {
	t, ok := OpenTree(dir)
	if !ok {
		return LeftOut{}
	}
	return t.LeftOut(ctx)
}

// Disk is the files of a folder, with those that a sparse checkout leaves out. It is for one
// goroutine; the zero value is ready.
type Disk struct {
	of   string
	tree *Tree // nil without a repository
}

// HasFile reports whether there is a file at a path below root, and not a folder that is here.
func (d *Disk) HasFile(ctx context.Context, root, path string) bool {
	local := filepath.FromSlash(path)
	if !filepath.IsLocal(local) {
		return false
	}
	full := filepath.Join(root, local)
	st, err := os.Stat(full)
	if !errors.Is(err, fs.ErrNotExist) {
		return err == nil && !st.IsDir()
	}
	if d.of != root {
		d.tree, _ = OpenTree(root)
		d.of = root
	}
	if d.tree == nil {
		return false
	}
	is, _ := d.tree.LeftOut(ctx).Has(full)
	return is
}
