package gitwork

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Taken is a state of the working tree: its objects are in the repository, but no commit is.
type Taken struct {
	Head  string // the commit that it changes; "" before the first one
	Index string // tree of what is staged
	Tree  string // tree of the files
	Base  string // tree of Head
	*Scan
}

// Clean reports whether nothing is there that the commit lacks.
func (t *Taken) Clean() bool { return t.Base != "" && t.Tree == t.Base && t.Index == t.Base }

// Take stores the state that a scan has found. It works in a copy of the index: the user's
// own is only read.
func (r *Repo) Take(ctx context.Context, s *Scan) (*Taken, error) {
	if err := r.store(ctx, &s.blobs); err != nil {
		return nil, err
	}
	t := &Taken{Head: r.head, Base: r.tree, Scan: s}
	err := r.scratch(func(index scratch) error {
		if err := r.copyIndex(index.file()); err != nil {
			return err
		}
		if s.conflict {
			if err := index.update(ctx, settled(s.entries)); err != nil {
				return err
			}
		}
		var err error
		if t.Index, err = index.writeTree(ctx); err != nil {
			return err
		}
		if t.Tree = t.Index; len(s.Changed) == 0 && t.Index == t.Base {
			return nil
		}
		if err := index.update(ctx, append(s.Changed[:len(s.Changed):len(s.Changed)], s.as...)); err != nil {
			return err
		}
		t.Tree, err = index.writeTree(ctx)
		return err
	})
	return t, err
}

// settled are the files with a conflict, with our version, or the other one if we have none: a
// commit has no room for both, which are in the commits that are being merged.
func settled(entries []entry) (files []Changed) {
	const ours = 2
	for _, e := range entries {
		if e.stage == 0 {
			continue
		}
		if n := len(files); n > 0 && files[n-1].Path == e.path {
			if e.stage == ours {
				files[n-1].File = e.File
			}
			continue
		}
		files = append(files, Changed{Path: e.path, File: e.File})
	}
	return files
}

// A scratch is a folder with an index, and with an empty working tree in which git runs. When git
// writes an index, it reads those files of the tree that have changed in the moment in which the
// index was written before, and runs their filters. In an empty tree there are none.
type scratch struct {
	r   *Repo
	dir string
}

func (x scratch) file() string  { return filepath.Join(x.dir, "index") }
func (x scratch) empty() string { return filepath.Join(x.dir, "empty") }

// run runs git on the scratch index.
func (x scratch) run(ctx context.Context, in []byte, args ...string) ([]byte, error) {
	return x.r.runIn(ctx, x.empty(), job{args: args, in: in, env: []string{"GIT_INDEX_FILE=" + x.file(), "GIT_DIR=" + x.r.git}})
}

// scratchNames are the names of such folders, in the system's folder for temporary files.
const scratchNames = "handoff-work-*"

// abandoned is the age of a folder that its process cannot need any more: it writes one index.
const abandoned = time.Hour

// scratch calls use with a folder that is removed then, and removes those that killed processes left.
func (r *Repo) scratch(use func(scratch) error) error {
	dir, err := os.MkdirTemp("", scratchNames)
	if err != nil {
		return err
	}
	sweep(dir)
	x := scratch{r, dir}
	if err = os.Mkdir(x.empty(), 0o700); err == nil {
		err = use(x)
	}
	return errors.Join(err, os.RemoveAll(dir))
}

// sweep removes the folders that are beside a new one, and abandoned. The clock is that of the files. Those of
// other users stay: the system's folder for temporary files does not let us remove them.
func sweep(fresh string) {
	now, err := os.Stat(fresh)
	if err != nil {
		return
	}
	beside, _ := filepath.Glob(filepath.Join(filepath.Dir(fresh), scratchNames)) // the pattern is valid
	for _, dir := range beside {
		if st, err := os.Lstat(dir); err == nil && st.IsDir() && now.ModTime().Sub(st.ModTime()) > abandoned {
			os.RemoveAll(dir)
		}
	}
}

// maxIndex is the most bytes of an index.
const maxIndex = 1 << 30

// copyIndex copies the index. git replaces it and never writes to it.
func (r *Repo) copyIndex(to string) error {
	src, err := os.ReadFile(filepath.Join(r.git, "index"))
	if errors.Is(err, os.ErrNotExist) {
		return nil // nothing was ever added
	}
	if err == nil && len(src) > maxIndex {
		err = fmt.Errorf("%s: more than %d bytes", filepath.Join(r.git, "index"), maxIndex)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, src, 0o600)
}

// update changes entries. What goes is removed first: a folder may become a file, or a file a
// folder.
func (x scratch) update(ctx context.Context, files []Changed) error {
	if len(files) == 0 {
		return nil
	}
	_, err := x.run(ctx, x.r.indexInfo(files), "update-index", "-z", "--index-info")
	return err
}

func (r *Repo) indexInfo(files []Changed) []byte {
	var gone, set bytes.Buffer
	zero := r.zero()
	for _, f := range files {
		if f.Mode == "" {
			fmt.Fprintf(&gone, "0 %s\t%s\x00", zero, f.Path)
		} else {
			fmt.Fprintf(&set, "%s %s\t%s\x00", f.Mode, f.ID, f.Path)
		}
	}
	return append(gone.Bytes(), set.Bytes()...)
}

// zero is the id of nothing.
func (r *Repo) zero() string {
	if r.hash == "sha256" {
		return strings.Repeat("0", 64)
	}
	return strings.Repeat("0", 40)
}

func (x scratch) writeTree(ctx context.Context) (string, error) {
	out, err := x.run(ctx, nil, "write-tree")
	return line(out), err
}

// read fills the index with a tree. git refuses a path that leads out of a tree, or into a
// folder .git: a tree that somebody else has made may have any.
func (x scratch) read(ctx context.Context, tree string) error {
	_, err := x.run(ctx, nil, "read-tree", tree)
	return err
}

// Check reports an error if git itself would not check out a tree.
func (r *Repo) Check(ctx context.Context, tree string) error {
	return r.scratch(func(x scratch) error { return x.read(ctx, tree) })
}

// Without returns a tree in which some files are as in another tree.
func (r *Repo) Without(ctx context.Context, tree, base string, paths map[string]bool) (id string, err error) {
	before, err := r.Diff(ctx, tree, base)
	if err != nil {
		return "", err
	}
	var files []Changed
	for _, d := range before {
		if paths[d.Path] {
			files = append(files, d.Changed)
		}
	}
	if len(files) == 0 {
		return tree, nil
	}
	err = r.scratch(func(x scratch) error {
		if err := errors.Join(x.read(ctx, tree), x.update(ctx, files)); err != nil {
			return err
		}
		id, err = x.writeTree(ctx)
		return err
	})
	return id, err
}

// Commit makes a commit that no ref names yet. The author is made up: the user's name is not
// ours to use.
func (r *Repo) Commit(ctx context.Context, tree, message string, at time.Time, parents ...string) (string, error) {
	args := []string{"commit-tree", tree, "-F", "-"}
	for _, p := range parents {
		if p != "" {
			args = append(args, "-p", p)
		}
	}
	var env []string
	for _, who := range []string{"GIT_AUTHOR_", "GIT_COMMITTER_"} {
		env = append(env, who+"NAME=handoff", who+"EMAIL=handoff@localhost", fmt.Sprintf("%sDATE=@%d +0000", who, at.Unix()))
	}
	out, err := r.run(ctx, job{args: args, in: []byte(message), env: env})
	return line(out), err
}
