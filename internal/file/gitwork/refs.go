package gitwork

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Ref is a ref with the commit that it names.
type Ref struct {
	Name    string
	Commit  string
	Tree    string
	Parents []string
	At      time.Time
	Message string
}

// Refs lists the refs below a prefix that ends with a slash.
func (r *Repo) Refs(ctx context.Context, prefix string) (refs []Ref, err error) {
	const format = "%(refname)%00%(objectname)%00%(tree)%00%(parent)%00%(committerdate:unix)%00%(contents)%00"
	out, err := r.run(ctx, job{args: []string{"for-each-ref", "--format=" + format, prefix}})
	if err != nil {
		return nil, err
	}
	f := strings.Split(string(out), "\x00")
	for ; len(f) > 6; f = f[6:] {
		seconds, _ := strconv.ParseInt(f[4], 10, 64) // a ref that is not a commit has no date, and no tree
		refs = append(refs, Ref{strings.TrimPrefix(f[0], "\n"), f[1], f[2], strings.Fields(f[3]), time.Unix(seconds, 0), f[5]})
	}
	return refs, nil
}

// Create creates a ref. ok is false if it exists already.
func (r *Repo) Create(ctx context.Context, name, commit string) (ok bool, err error) {
	_, err = r.run(ctx, job{args: []string{"update-ref", "--no-deref", name, commit, r.zero()}})
	if err == nil {
		return true, nil
	}
	if out, bad := r.run(ctx, job{args: []string{"rev-parse", "-q", "--verify", name}}); bad == nil && line(out) != "" {
		return false, nil
	}
	return false, fmt.Errorf("%s: %w", name, err)
}

// Delete deletes a ref, if it still names the commit.
func (r *Repo) Delete(ctx context.Context, name, commit string) error {
	_, err := r.run(ctx, job{args: []string{"update-ref", "--no-deref", "-d", name, commit}})
	return err
}
