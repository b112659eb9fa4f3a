package gitindex

import (
	"context"
	"errors"
	"strings"
)

// Branch is the branch that is checked out in the working tree around dir; "" for none.
func Branch(ctx context.Context, dir string) (string, error) {
	out, err := output(ctx, dir, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		if err = missing(err); err == ErrNoCommit {
			err = nil // a commit is checked out
		}
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}

// Main is the branch that others are merged into, as far as git knows: that of the HEAD of a
// remote, else main or master, else the one that is checked out.
func Main(ctx context.Context, dir string) (string, error) {
	out, err := output(ctx, dir, "for-each-ref", "--format=%(symref:lstrip=3)", "refs/remotes/*/HEAD")
	if name := strings.TrimSpace(strings.SplitN(string(out), "\n", 2)[0]); err == nil && name != "" {
		return name, nil
	}
	for _, name := range []string{"main", "master"} {
		if _, bad := output(ctx, dir, "rev-parse", "--verify", "--quiet", "refs/heads/"+name); bad == nil {
			return name, nil
		}
	}
	return Branch(ctx, dir)
}

// OnBranch returns those of some files, by their paths below dir, that a branch has: of the
// remotes' branches of that name, if there are any, because the own one may be old.
func OnBranch(ctx context.Context, dir, branch string, files []string) (list []string, err error) {
	refs, err := output(ctx, dir, "for-each-ref", "--format=%(refname)", "refs/remotes/*/"+branch)
	if err == nil && len(refs) == 0 {
		refs, err = output(ctx, dir, "for-each-ref", "--format=%(refname)", "refs/heads/"+branch)
	}
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, ref := range strings.Fields(string(refs)) {
		out, bad := output(ctx, dir, "ls-tree", "-r", "-z", "--name-only", ref)
		err = errors.Join(err, bad)
		for _, path := range strings.Split(string(out), "\x00") {
			has[path] = true
		}
	}
	for _, f := range files {
		if has[f] {
			list = append(list, f)
		}
	}
	return list, err
}
