package gitindex

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Files are the files of the working tree around dir, tracked or not, but for ignored ones, with paths relative to dir.
func Files(ctx context.Context, dir string) ([]string, error) {
	out, err := output(ctx, dir, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), err
}

// HasCommit reports whether the repository has a commit. What a shallow one does not have is unknown: [ErrNoCommit].
func HasCommit(ctx context.Context, dir, commit string) (bool, error) {
	_, err := output(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", commit+"^{commit}")
	has, err := said(err)
	if whole, _ := complete(ctx, dir); !has && !whole {
		err = errors.Join(ErrNoCommit, err)
	}
	return has, err
}

// Branches are the branches of the repository, and those of its remotes when they were asked last, without their names.
func Branches(ctx context.Context, dir string) (own, remote []string, err error) {
	out, err := output(ctx, dir, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes")
	for _, ref := range strings.Fields(string(out)) {
		if name, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
			own = append(own, name)
		} else if _, name, ok := strings.Cut(strings.TrimPrefix(ref, "refs/remotes/"), "/"); ok {
			remote = append(remote, name)
		}
	}
	return own, remote, err
}

// Tag returns the commit of a tag, "" if there is none of that name. any is false if the repository has no tag at all: they may
// not have been fetched.
func Tag(ctx context.Context, dir, name string) (commit string, any bool, err error) {
	out, err := output(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", "refs/tags/"+name+"^{commit}")
	if has, err := said(err); has || err != nil {
		return strings.TrimSpace(string(out)), has, err
	}
	out, err = output(ctx, dir, "for-each-ref", "--count=1", "refs/tags")
	return "", len(out) > 0, err
}

// Did returns what a commit says that it did, and the paths that it changed.
func Did(ctx context.Context, dir, commit string) (message string, err error) {
	out, err := output(ctx, dir, "log", "-1", "--first-parent", "--diff-merges=first-parent", "--format=%B", "--name-only", "--end-of-options", commit)
	return string(out), err
}

// Contains reports whether a branch, or with "" any branch of a remote, contains a commit or the tip of a branch.
func Contains(ctx context.Context, dir, branch, commit string) (bool, error) {
	if branch != "" {
		_, err := output(ctx, dir, "merge-base", "--is-ancestor", "--end-of-options", commit, branch)
		return said(err)
	}
	out, err := output(ctx, dir, "for-each-ref", "--count=1", "--contains="+commit, "--format=%(refname)", "refs/remotes")
	return len(out) > 0, err
}

// Unpushed counts the commits of HEAD until a time that no branch of a remote has.
func Unpushed(ctx context.Context, dir string, until time.Time) (int, error) {
	out, err := output(ctx, dir, "rev-list", "--count", "--before="+strconv.FormatInt(until.Unix(), 10), "HEAD", "--not", "--remotes")
	n, _ := strconv.Atoi(strings.TrimSpace(string(out)))
	return n, err
}

func said(err error) (bool, error) { // git's answer "no" is no error
	if err == nil {
		return true, nil
	}
	if err = missing(err); errors.Is(err, ErrNoCommit) {
		err = nil
	}
	return false, err
}
