package gitindex

import (
	"context"
	"errors"
	"strings"
)

// ErrNoCommit: the repository has no such commit, or it is not in the history of HEAD.
var ErrNoCommit = errors.New("no commit in the history of HEAD")

// Resolve returns the full id of a commit that HEAD contains. Without one the error is
// [ErrNoCommit]: it was never fetched, or the history was rewritten.
func Resolve(ctx context.Context, dir, commit string) (string, error) {
	out, err := output(ctx, dir, "rev-parse", "--verify", "--quiet", commit+"^{commit}")
	id := strings.TrimSpace(string(out))
	if err != nil {
		return "", missing(err)
	}
	if _, err := output(ctx, dir, "merge-base", "--is-ancestor", id, "HEAD"); err != nil {
		return "", missing(err)
	}
	return id, nil
}

// missing is ErrNoCommit for the answer "no" of git.
func missing(err error) error {
	if errors.Is(err, ErrNoGit) || errors.Is(err, ErrNoRepository) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return ErrNoCommit
}

// Differing are the tracked files below dir that differ in the working tree from a commit,
// with paths relative to dir. Files that git does not track are left out.
func Differing(ctx context.Context, dir, commit string) ([]string, error) {
	return differing(ctx, dir, commit)
}

// Altered are those of [Differing] that the commit has: changed or deleted, not added.
func Altered(ctx context.Context, dir, commit string) ([]string, error) {
	return differing(ctx, dir, "--diff-filter=a", commit)
}

func differing(ctx context.Context, dir string, args ...string) ([]string, error) {
	args = append([]string{"diff", "--name-only", "-z", "--relative", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules"}, args...)
	out, err := output(ctx, dir, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}

// Content is a file as a commit has it, by a path relative to dir. ok is false if it has
// none.
func Content(ctx context.Context, dir, commit, path string) (text []byte, ok bool, err error) {
	text, err = output(ctx, dir, "cat-file", "blob", commit+":./"+path)
	if err != nil {
		if err = missing(err); err == ErrNoCommit {
			err = nil
		}
		return nil, false, err
	}
	return text, true, nil
}
