// Package gitindex reads the content of the next commit of a git repository, when files
// were committed first, and what was committed since.
//
// It runs the installed git, so the answers are right for any configuration, hash and kind
// of worktree. It reads the last few commits from their files, if the answer is certain
// without git: see direct. It changes nothing, takes no locks and does not know what the
// files are for. It never reads the working tree: a partially staged file is read as
// staged.
//
// In a hook, git sets GIT_DIR and GIT_INDEX_FILE to the repository and the index of the
// commit; "git commit FILE" uses its own index. The package respects them.
package gitindex

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Entry is a regular file or symbolic link of the index.
type Entry struct {
	Path string // relative to the root, forward slashes, any bytes but NUL
	ID   string // of the blob: 40 or 64 hex digits
	Link bool   // a symbolic link; its content is its target
	New  bool   // HEAD has no file at the path, and none with this content that is deleted: it was not moved; only in [Staged]

	Module bool // a submodule: it has no content; only in [Listed]
}

// Staged returns the root of the working tree that contains dir, an absolute path with
// the system's separators, and the files and symbolic links whose staged content
// differs from HEAD, sorted by path. Files that are deleted, unmerged or only intended
// to be added are left out, and so are submodules. Before the first commit all staged
// files count.
//
// Errors are [ErrNoGit], [ErrNoRepository], [ErrBare] or the message of git.
func Staged(ctx context.Context, dir string) (root string, entries []Entry, err error) {
	root, err = workTree(ctx, dir)
	if err != nil {
		return "", nil, err
	}
	out, err := output(ctx, dir, "-c", "diff.relative=false", "diff", "--cached", "--raw", "-z",
		"--no-renames", "--no-abbrev", "--no-color", "--no-ext-diff", "--diff-filter=ACDMT")
	if err != nil {
		return "", nil, err
	}
	entries, err = parseRaw(out)
	return root, entries, err
}

// workTree is the root of the working tree that contains dir.
func workTree(ctx context.Context, dir string) (string, error) {
	out, err := output(ctx, dir, "rev-parse", "--is-bare-repository", "--show-toplevel")
	bare, root, _ := strings.Cut(string(out), "\n")
	if bare == "true" {
		return "", fmt.Errorf("%s: %w", dir, ErrBare)
	}
	if err != nil {
		return "", err
	}
	return filepath.FromSlash(strings.TrimSuffix(root, "\n")), nil
}

// parseRaw parses the output of "git diff --raw -z": for each file a record of modes,
// ids and status, and its path.
func parseRaw(out []byte) ([]Entry, error) {
	var list []Entry
	deleted := map[string]bool{} // contents
	for len(out) > 0 {
		record, rest, ok1 := bytes.Cut(out, []byte{0})
		name, rest, ok2 := bytes.Cut(rest, []byte{0})
		f := strings.Fields(string(record)) // :oldmode newmode oldid newid status
		if !ok1 || !ok2 || len(f) != 5 || f[0][0] != ':' {
			return nil, fmt.Errorf("git diff returned %q: want modes, ids and a status", record)
		}
		switch mode := f[1]; mode {
		case "100644", "100755", "120000":
			list = append(list, Entry{Path: string(name), ID: f[3], Link: mode == "120000", New: f[4] == "A"})
		case "000000":
			deleted[f[2]] = true
		}
		out = rest
	}
	for i := range list {
		list[i].New = list[i].New && !deleted[list[i].ID]
	}
	// diff.orderFile may have changed the order.
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// HooksDir is the folder of the hooks of the repository that contains dir, an absolute
// path that respects core.hooksPath. The folder need not exist.
func HooksDir(ctx context.Context, dir string) (string, error) {
	out, err := output(ctx, dir, "rev-parse", "--git-path", "hooks")
	if err != nil {
		return "", err
	}
	hooks := filepath.FromSlash(strings.TrimSuffix(string(out), "\n"))
	if filepath.IsAbs(hooks) {
		return hooks, nil
	}
	return filepath.Abs(filepath.Join(where(dir), hooks))
}
