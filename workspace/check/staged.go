package check

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"handoff/document/task"
	"handoff/internal/file/gitindex"
	"handoff/workspace"
)

// listStaged adds the staged documents with the content that a commit would take,
// which may differ from the file on disk. The paths that documents refer to are
// looked up on disk.
func (l *checker) listStaged(ctx context.Context, add func(job) error) error {
	root, entries, err := gitindex.Staged(ctx, l.Dir)
	if err != nil {
		return err
	}
	for _, p := range l.Paths {
		if err := l.stagedOrExists(p, root, entries); err != nil {
			if err := add(failed(p, err)); err != nil {
				return err
			}
		}
	}
	l.Dir = withoutLinks(l.Dir) // git resolves symlinks in its paths; without this, no entry would be below Dir
	entries = slices.DeleteFunc(entries, func(e gitindex.Entry) bool {
		return !l.wants(filepath.Join(root, filepath.FromSlash(e.Path)), e.Path)
	})
	return gitindex.Contents(ctx, l.Dir, entries, func(e gitindex.Entry, content []byte) error {
		full := filepath.Join(root, filepath.FromSlash(e.Path))
		t, err := l.trees.above(filepath.Dir(full))
		if err != nil {
			return err
		}
		names := t.Keep(filepath.Dir(full), []string{filepath.Base(full)})
		if len(names) == 0 {
			return nil
		}
		shown := l.shown(full)
		f := folder{shown: path.Dir(shown), dir: filepath.Dir(full), names: names, tree: t}
		if e.Link { // the target is checked at its own path
			if err := workspace.LeadsOut(f.trusted(), full); err != nil {
				return add(failed(shown, err))
			}
			return nil
		}
		return add(job{folder: f, listed: true, fresh: e.New, src: map[string][]byte{names[0]: slices.Clone(content)}})
	})
}

// stagedOrExists returns nil if the path exists on disk, or if it or something below
// it is staged. Any other path is probably a typo, so its error is reported.
func (l *checker) stagedOrExists(p, root string, entries []gitindex.Entry) error {
	_, err := os.Lstat(l.abs(p))
	if err == nil {
		return nil
	}
	full := withoutLinks(filepath.Dir(l.abs(p))) + string(filepath.Separator) + filepath.Base(p)
	if slices.ContainsFunc(entries, func(e gitindex.Entry) bool {
		return strings.HasPrefix(filepath.Join(root, filepath.FromSlash(e.Path))+string(filepath.Separator), full+string(filepath.Separator))
	}) {
		return nil
	}
	return err
}

// wants reports whether to check a staged file. Without paths these are the documents
// in handoffs folders; with paths, those files and the documents below those folders.
func (l *checker) wants(full, slash string) bool {
	if len(l.Paths) == 0 {
		return isFiled(task.Outside, slash) || l.isElsewhere(full)
	}
	return slices.ContainsFunc(l.Paths, func(p string) bool {
		p = withoutLinks(l.abs(p))
		below, ok := strings.CutPrefix(full, p+string(filepath.Separator))
		return p == full || ok && (isFiled(kindOf(p), filepath.ToSlash(below)) || l.isElsewhere(full))
	})
}

// isFiled reports whether checking a folder of kind in finds a document at this path
// below it. Workspaces within the folder count.
func isFiled(in task.Kind, slash string) bool {
	dir, base := path.Split(slash)
	place := in.At(strings.TrimSuffix(dir, "/"))
	for place.Kind == task.Nested && place.Below != "" {
		place = task.Nested.At(place.Below)
	}
	return place.HoldsDocuments() && task.IsDocument(base)
}

func withoutLinks(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
