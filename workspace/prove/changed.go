package prove

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/internal/state"
	"handoff/internal/text/prose"
)

// repository answers what changed in a workspace, and asks git each question once.
type repository struct {
	root    string
	commits map[string]answer
	files   map[string][]byte // of commits, by "commit:path"; nil for one that was missing

	all      []string // the files of the workspace, once they are listed
	unlisted error
	listed   bool
}

type answer struct {
	id      string
	differ  []string
	problem error
}

// errUnknown: git cannot report what changed.
var errUnknown = errors.New("unknown")

func newRepository(root string) *repository {
	return &repository{root: root, commits: map[string]answer{}, files: map[string][]byte{}}
}

// maxFile is the most bytes of a file whose lines are compared.
const maxFile = 16 << 20

// since describes a change of an item's subject since a commit, "" for none. The
// error is errUnknown without a commit or git. After the item's command has
// succeeded, only lines that it names matter, because the command has used the files.
func (r *repository) since(ctx context.Context, text, commit string, succeeded bool) (changed string, err error) {
	if commit == "" {
		return "", errUnknown
	}
	a := r.at(ctx, commit)
	switch {
	case errors.Is(a.problem, gitindex.ErrNoCommit):
		return "", fmt.Errorf("commit %s is not in the history of HEAD", commit)
	case a.problem != nil:
		return "", errUnknown
	}
	named := false
	for line := range strings.SplitSeq(text, "\n") {
		for p := range prose.Paths(line) {
			path := strings.TrimPrefix(filepath.ToSlash(p.Text), "./")
			if !filepath.IsLocal(filepath.FromSlash(path)) || !r.known(ctx, a.id, path) {
				continue
			}
			named = true
			if p.Line > 0 {
				if why := r.moved(ctx, a.id, path, p.Line); why != "" {
					return why, nil
				}
			}
			if !succeeded && slices.ContainsFunc(a.differ, func(f string) bool { return f == path || strings.HasPrefix(f, strings.TrimSuffix(path, "/")+"/") }) {
				return fmt.Sprintf("%s has changed since %s", path, commit), nil
			}
		}
	}
	if named || succeeded {
		return "", nil
	}
	for _, f := range a.differ {
		if !own(f) {
			return fmt.Sprintf("%s has changed since %s", f, commit), nil
		}
	}
	return "", nil
}

// own reports whether a file is one that handoffs are kept in.
func own(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return first == handoff.Root || state.Keeps(first)
}

func (r *repository) at(ctx context.Context, commit string) answer {
	a, ok := r.commits[commit]
	if !ok {
		if a.id, a.problem = gitindex.Resolve(ctx, r.root, commit); a.problem == nil {
			a.differ, a.problem = gitindex.Differing(ctx, r.root, a.id)
		}
		r.commits[commit] = a
	}
	return a
}

// known reports whether a path is a file or folder, now or in the commit.
func (r *repository) known(ctx context.Context, commit, path string) bool {
	if exists(filepath.Join(r.root, filepath.FromSlash(path))) {
		return true
	}
	return r.content(ctx, commit, path) != nil
}

func (r *repository) content(ctx context.Context, commit, path string) []byte {
	key := commit + ":" + path
	text, ok := r.files[key]
	if !ok {
		text, ok, _ = gitindex.Content(ctx, r.root, commit, path) // an error: nothing is known of it
		if ok && text == nil {
			text = []byte{}
		}
		r.files[key] = text
	}
	return text
}

// moved returns where a line of a commit is now; "" if it has not moved.
func (r *repository) moved(ctx context.Context, commit, path string, number int) string {
	old, ok := line(r.content(ctx, commit, path), number)
	if !ok {
		return "" // the commit has no such line: dead-line is about that
	}
	now, err := nofollow.Root(r.root).ReadFile(filepath.Join(r.root, filepath.FromSlash(path)), maxFile)
	if err != nil {
		return path + " is gone"
	}
	if here, ok := line(now, number); ok && bytes.Equal(here, old) {
		return ""
	}
	n := 0
	for text := range bytes.Lines(now) {
		if n++; bytes.Equal(bytes.TrimRight(text, "\r\n"), old) && len(bytes.TrimSpace(old)) > 0 {
			return fmt.Sprintf("line %d of %s is line %d now", number, path, n)
		}
	}
	return fmt.Sprintf("line %d of %s has changed", number, path)
}

func line(text []byte, number int) ([]byte, bool) {
	n := 0
	for l := range bytes.Lines(text) {
		if n++; n == number {
			return bytes.TrimRight(l, "\r\n"), true
		}
	}
	return nil, false
}

func exists(path string) bool {
	ok, _ := regular.Look(path)
	return ok
}
