package gitindex

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Touched returns the root of the working tree that contains dir, as [Staged] does, and
// the paths that the next commit adds, changes or deletes, sorted. A renamed file is there
// with both of its names.
func Touched(ctx context.Context, dir string) (root string, paths []string, err error) {
	root, err = workTree(ctx, dir)
	if err != nil {
		return "", nil, err
	}
	out, err := output(ctx, dir, "-c", "diff.relative=false", "diff", "--cached", "--name-only", "-z", "--no-renames", "--no-color", "--no-ext-diff")
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if len(name) > 0 {
			paths = append(paths, string(name))
		}
	}
	slices.Sort(paths) // diff.orderFile may have changed the order
	return root, paths, err
}

// Listed returns what the index has at some paths, relative to the root of the working tree
// with forward slashes: files, and all that is below folders, sorted by path. A submodule is
// one entry without content. Of an unmerged file there is one entry.
func Listed(ctx context.Context, dir string, paths ...string) (list []Entry, err error) {
	args := []string{"ls-files", "--stage", "-z", "--full-name", "--"}
	for _, p := range paths {
		args = append(args, ":(top,literal)"+p)
	}
	out, err := output(ctx, dir, args...)
	if err != nil {
		return nil, err
	}
	for record := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		about, name, ok := strings.Cut(string(record), "\t")
		f := strings.Fields(about) // mode id stage
		switch {
		case len(record) == 0:
			continue
		case !ok || len(f) != 3:
			return nil, fmt.Errorf("git ls-files returned %q: want a mode, an id, a stage and a path", record)
		case len(list) > 0 && list[len(list)-1].Path == name:
			continue // another stage
		}
		list = append(list, Entry{Path: name, ID: f[1], Link: f[0] == "120000", Module: f[0] == "160000"})
	}
	return list, nil
}

// Ignored reports whether a file of the working tree is not in the index because git
// ignores it. The path is relative to the root of the working tree.
func Ignored(ctx context.Context, dir, path string) (bool, error) {
	out, err := output(ctx, dir, "ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--", ":(top,literal)"+path)
	return len(out) > 0, err
}

// InHead reports whether the last commit has something at a path, relative to the root
// of the working tree. Before the first commit it has nothing.
func InHead(ctx context.Context, dir, path string) bool {
	out, err := output(ctx, dir, "ls-tree", "-z", "--full-tree", "HEAD", "--", path)
	return err == nil && len(out) > 0
}
