package check

import (
	"context"
	"path"
	"path/filepath"
	"strings"

	"handoff/internal/file/nofollow"
	"handoff/workspace"
)

// elsewhere adds the documents in a folder for which the configuration above it has
// layouts. found reports whether there are layouts, even without documents. shown is the
// folder as findings print it; "" makes the paths relative to Dir.
func (l *checker) elsewhere(ctx context.Context, dir, shown string, add func(job) error) (found bool, err error) {
	t, err := l.trees.above(dir)
	if err != nil || len(t.Documents) == 0 || t.root == "" {
		return false, err
	}
	w := workspace.New(t.root, t.Config, l.options)
	inside := func(full string) bool { return dir == t.root || nofollow.Within(dir, full) }
	name := func(full string) string {
		if shown == "" {
			return l.shown(full)
		}
		rel, err := filepath.Rel(dir, full)
		if err != nil {
			return filepath.ToSlash(full)
		}
		return join(shown, filepath.ToSlash(rel))
	}
	paths, err := w.Elsewhere(ctx, func(p string, err error) error {
		if full := w.Full(p); inside(full) || nofollow.Within(full, dir) {
			found = true
			return add(failed(name(full), err))
		}
		return nil
	})
	if err != nil {
		return found, err
	}
	var f folder
	flush := func() error {
		if len(f.names) == 0 {
			return nil
		}
		return add(job{folder: f, listed: true})
	}
	for _, p := range paths {
		full := w.Full(p)
		if !inside(full) {
			continue
		}
		if at := filepath.Dir(full); at != f.dir {
			if err := flush(); err != nil {
				return found, err
			}
			f = folder{shown: strings.TrimSuffix(path.Dir(name(full)), "."), dir: at, tree: t}
		}
		f.names = append(f.names, filepath.Base(full))
	}
	return found || len(paths) > 0, flush()
}

// unmatched is [workspace.Workspace.Unmatched] for the workspace at root.
func (l *checker) unmatched(ctx context.Context, root string) error {
	t, err := l.trees.above(root)
	if err != nil || t.root == "" {
		return err
	}
	return workspace.New(t.root, t.Config, l.options).Unmatched(ctx)
}

// isElsewhere reports whether a file is a document of a layout of the configuration that
// applies to Dir.
func (l *checker) isElsewhere(full string) bool {
	t, err := l.trees.above(l.Dir)
	return err == nil && t.root != "" && nofollow.Within(t.root, full) && t.Documents.Of(nofollow.Root(t.root).Rel(full)) != nil
}

// shown is a path as findings print it: relative to Dir, if that is possible. It has forward slashes on
// every system, so that a baseline or a report of one holds on the others.
func (l *checker) shown(full string) string {
	if rel, err := filepath.Rel(l.Dir, full); err == nil {
		full = rel
	}
	return filepath.ToSlash(full)
}
