package task

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"
)

// Find lists the documents of all layouts in the workspace at root, sorted by their
// paths. It calls failed for a folder that cannot be listed; an error from that ends the
// walk. A symbolic link is not followed: a file that is one is listed, a folder is passed
// to failed with [ErrLink], because documents in it would be missed.
func (ls Layouts) Find(ctx context.Context, root string, failed func(path string, err error) error) ([]string, error) {
	return newFinder(ctx, root, failed).find(ls)
}

func newFinder(ctx context.Context, root string, failed func(path string, err error) error) *finder {
	return &finder{ctx: ctx, root: root, failed: failed, listed: map[string]listing{}}
}

// find is [Layouts.Find]. Several calls list a folder only once.
func (f *finder) find(ls Layouts) ([]string, error) {
	f.layouts, f.seen, f.found = ls, map[string]bool{}, nil
	for _, l := range ls {
		for _, glob := range l.globs() {
			base, deep := reach(glob)
			if err := f.start(base, deep); err != nil {
				return nil, err
			}
		}
	}
	slices.Sort(f.found)
	return ls.hide(slices.Compact(f.found)), nil
}

// hide removes the documents of a layout for which there are better ones: see
// [Layout.Else].
func (ls Layouts) hide(found []string) []string {
	for _, l := range ls {
		if len(l.Else) == 0 {
			continue
		}
		best := map[string]int{}
		for _, p := range found {
			if ls.Of(p) == l {
				best[p] = l.precedence(p)
			}
		}
		least := 1 << 10
		for _, n := range best {
			least = min(least, n)
		}
		found = slices.DeleteFunc(found, func(p string) bool { n, mine := best[p]; return mine && n > least })
	}
	return found
}

// reach is the folder that a glob begins with, "" for the root, and how many levels of
// folders from there on may hold what it matches.
func reach(glob string) (base string, deep int) {
	base, _ = doublestar.SplitPattern(glob)
	if base == "." {
		base = ""
	}
	switch {
	case strings.Contains(glob, "**"):
		return base, 1 << 10
	case base == "":
		return base, strings.Count(glob, "/") + 1
	}
	return base, strings.Count(strings.TrimPrefix(glob, base), "/")
}

// Enters reports whether documents may be in a folder, or in one below it: those are the
// folders that Find lists, and those on the way to them. "" is the root.
func (ls Layouts) Enters(dir string) bool {
	if hidden(dir) {
		return false
	}
	for _, l := range ls {
		for _, glob := range l.globs() {
			base, deep := reach(glob)
			if dir == "" || dir == base || strings.HasPrefix(base, dir+"/") {
				return true
			}
			below := dir
			if base != "" {
				var ok bool
				if below, ok = strings.CutPrefix(dir, base+"/"); !ok {
					continue
				}
			}
			if strings.Count(below, "/")+1 < deep {
				return true
			}
		}
	}
	return false
}

// Bases are the folders that the globs begin with, "" for the root.
func (ls Layouts) Bases() (dirs []string) {
	for _, l := range ls {
		for _, glob := range l.globs() {
			base, _ := reach(glob)
			dirs = append(dirs, base)
		}
	}
	return dirs
}

// Same reports whether two lists of layouts have the same documents.
func (ls Layouts) Same(other Layouts) bool {
	return slices.EqualFunc(ls, other, func(a, b *Layout) bool { return a.Name == b.Name && slices.Equal(a.Files, b.Files) })
}

// ErrLink reports a folder that is a symbolic link.
var ErrLink = errors.New("a symbolic link to a folder: handoffs in it are not read (use -C with its target, and a .handoff.yaml there)")

type finder struct {
	layouts Layouts
	ctx     context.Context
	root    string
	failed  func(path string, err error) error
	seen    map[string]bool // folders that were looked through with all that is below
	listed  map[string]listing
	found   []string
}

// listing is what a folder contains, or why it cannot be listed.
type listing struct {
	entries []fs.DirEntry
	err     error
}

// list lists a folder once.
func (f *finder) list(dir string) ([]fs.DirEntry, error) {
	l, ok := f.listed[dir]
	if !ok {
		l.entries, l.err = os.ReadDir(f.full(dir))
		f.listed[dir] = l
	}
	return l.entries, l.err
}

// start walks from the folder that a glob begins with.
func (f *finder) start(base string, deep int) error {
	for at := 0; at < len(base); { // a link on the way
		next := strings.IndexByte(base[at:], '/')
		if next < 0 {
			next = len(base) - at
		}
		at += next
		st, err := os.Lstat(f.full(base[:at]))
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			return nil
		case err != nil:
			return f.failed(base[:at], err)
		case st.Mode()&fs.ModeSymlink != 0:
			return f.failed(base[:at], ErrLink)
		case !st.IsDir():
			return nil
		}
		at++
	}
	return f.walk(base, deep)
}

func (f *finder) full(p string) string {
	return f.root + string(filepath.Separator) + filepath.FromSlash(p)
}

// walk lists a folder and, if deep is more than 1, those in it.
func (f *finder) walk(dir string, deep int) error {
	if err := f.ctx.Err(); err != nil {
		return err
	}
	if f.seen[dir] || deep == 1 && f.seen[dir+"/"] {
		return nil
	}
	entries, err := f.list(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if err != nil {
		return f.failed(dir, err)
	}
	switch {
	case deep > 1<<9:
		f.seen[dir] = true
	case deep == 1:
		f.seen[dir+"/"] = true // the files in it: several globs name some
	}
	for _, e := range entries {
		p := path.Join(dir, e.Name())
		switch {
		case e.IsDir():
			if deep > 1 && e.Name() != ".git" && e.Name() != "node_modules" {
				if err := f.walk(p, deep-1); err != nil {
					return err
				}
			}
		case f.layouts.Of(p) == nil:
			if deep > 1 && e.Type()&fs.ModeSymlink != 0 && f.mayHold(p) {
				if st, err := os.Stat(f.full(p)); err == nil && st.IsDir() {
					if err := f.failed(p, ErrLink); err != nil {
						return err
					}
				}
			}
		default:
			f.found = append(f.found, p)
		}
	}
	return nil
}

// mayHold reports whether documents may be below a path.
func (f *finder) mayHold(p string) bool {
	return f.layouts.Of(p+"/x.md") != nil
}
