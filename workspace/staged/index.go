package staged

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
)

// index is what a commit will have of one workspace. Paths are relative to that, with
// forward slashes.
type index struct {
	dir     string           // in which git runs
	top     string           // the root of the working tree
	prefix  string           // of the workspace below it, with a slash at its end; "" if they are the same
	entries []gitindex.Entry // of its specs folder, sorted by path
	others  map[string]bool  // what exists outside of it, as far as it was asked for
	failed  error            // the first question that git could not answer
}

func read(ctx context.Context, dir, top, root string) (*index, error) {
	x := &index{dir: dir, top: top, others: map[string]bool{}}
	if root != "" {
		x.prefix = root + "/"
	}
	var err error
	x.entries, err = gitindex.Listed(ctx, dir, x.prefix+handoff.Root)
	return x, err
}

// below returns the entries in a folder, at any depth.
func (x *index) below(dir string) []gitindex.Entry {
	dir = x.prefix + dir + "/"
	from := sort.Search(len(x.entries), func(i int) bool { return x.entries[i].Path >= dir })
	n := sort.Search(len(x.entries)-from, func(i int) bool { return !strings.HasPrefix(x.entries[from+i].Path, dir) })
	return x.entries[from : from+n]
}

func (x *index) folder(p string) bool { return len(x.below(path.Clean(p))) > 0 }

// names lists the entries of a folder, sorted.
func (x *index) names(dir string) (names []string) {
	for _, e := range x.below(dir) {
		name, _, _ := strings.Cut(e.Path[len(x.prefix)+len(dir)+1:], "/")
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	slices.Sort(names) // "a.b" is before "a/b"
	return slices.Compact(names)
}

// exists reports whether there is a file, or a folder outside of specs, after the commit. A
// file that git ignores, or that is in another repository, is not part of any commit: then
// the working tree counts.
func (x *index) exists(ctx context.Context, p string) bool {
	p = path.Clean(p)
	if _, found := slices.BinarySearchFunc(x.entries, x.prefix+p, func(e gitindex.Entry, p string) int { return strings.Compare(e.Path, p) }); found {
		return true
	}
	known, asked := x.others[p]
	if !asked {
		known = x.ask(ctx, p)
		x.others[p] = known
	}
	return known
}

func (x *index) ask(ctx context.Context, p string) bool {
	if !strings.HasPrefix(p, handoff.Root+"/") {
		list, err := gitindex.Listed(ctx, x.dir, x.prefix+p)
		if x.note(err); len(list) > 0 {
			return true
		}
	}
	real, ok := x.onDisk(p)
	if !ok {
		return false
	}
	if real != p { // through a symbolic link
		return x.folder(real) || x.exists(ctx, real)
	}
	if regular.GitTop(filepath.Dir(x.full(p))) != x.top {
		return true
	}
	ignored, err := gitindex.Ignored(ctx, x.dir, x.prefix+p)
	x.note(err)
	return ignored
}

// onDisk reports whether the working tree has something at a path, and where that is with
// its symbolic links resolved. What is outside of the workspace does not exist for a
// document.
func (x *index) onDisk(p string) (real string, ok bool) {
	root := nofollow.Root(x.full(""))
	real, err := root.Inside(x.full(p))
	return root.Rel(real), err == nil && regular.KindOf(real) != regular.Nothing
}

func (x *index) note(err error) {
	if x.failed == nil {
		x.failed = err
	}
}

// absent says how a path will be missing, and what to do.
func (x *index) absent(ctx context.Context, p string) string {
	if _, ok := x.onDisk(p); ok {
		return fmt.Sprintf("is not staged: %s (`git add` it, too)", p)
	}
	if gitindex.InHead(ctx, x.dir, x.prefix+path.Clean(p)) {
		return fmt.Sprintf("is deleted by this commit: %s (remove it from %s and stage that, or keep the file: `git restore --staged --worktree`)", p, handoff.MetadataFile)
	}
	return fmt.Sprintf("does not exist: %s (correct it in %s and stage that)", p, handoff.MetadataFile)
}
