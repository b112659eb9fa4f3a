package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"handoff/internal/file/atomicfile"
	"handoff/log/artifact"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/reconcile"
)

// Change carries out what plan makes of the state of a task, and then brings the task up to
// date. If another process changes the task meanwhile, it is planned again. A problem of the
// plan is an error, because somebody asked for the change.
func Change(ctx context.Context, w *workspace.Workspace, dir string, plan func(reconcile.State) reconcile.Plan) error {
	store, err := artifact.Open(w.Root)
	if err != nil {
		return err
	}
	defer store.Close()
	s := newSyncer(w, store, Request{Tasks: []string{dir}})
	defer s.Close()
	for range conflicts {
		state, err := documents.Load(ctx, w, nil, store, dir)
		if err != nil {
			return err
		}
		p := plan(state)
		for _, problem := range p.Problems {
			err = errors.Join(err, fmt.Errorf("%s: %s", problem.Path, problem.Text))
		}
		if err != nil {
			return err
		}
		err = s.Locked(ctx, func() error { return s.apply(p) })
		switch {
		case err == nil:
			return update(ctx, w, dir, nil)
		case !errors.Is(err, reconcile.ErrChanged):
			return err
		}
	}
	return fmt.Errorf("%s: other processes keep writing it: try again", dir)
}

// Move renames the folder of a task below specs, and brings its metadata up to date. No other
// process of ours writes meanwhile. If this one is killed, the next sync does the rest.
func Move(ctx context.Context, w *workspace.Workspace, from, to string) error {
	err := w.Locked(ctx, func() error { return rename(w, from, to) })
	if err != nil {
		return fmt.Errorf("%s: not moved to %s: %w", from, to, workspace.Reason(err))
	}
	state, err := documents.Load(ctx, w, nil, nil, to)
	if err != nil {
		return err
	}
	moved := map[string]string{}
	for _, d := range state.Documents {
		moved[from+d.Path[len(to):]] = d.Path
	}
	return update(ctx, w, to, moved)
}

// update brings a task up to date after a change that is on the disk already.
func update(ctx context.Context, w *workspace.Workspace, dir string, moved map[string]string) error {
	if _, err := One(ctx, w, Request{Tasks: []string{dir}, Moved: moved}); err != nil {
		return fmt.Errorf("done, but the metadata is not up to date: %w (`handoff sync %s` tries again)", err, dir)
	}
	return nil
}

// rename moves a folder to a name that does not exist. The lock must be held.
func rename(w *workspace.Workspace, from, to string) error {
	root, full := w.Trusted(), w.Full(to)
	if err := atomicfile.MkdirAll(root, filepath.Dir(full), 0o755); err != nil {
		return err
	}
	if _, err := os.Lstat(full); err == nil {
		return fs.ErrExist
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := root.Rename(w.Full(from), full); err != nil {
		return err
	}
	return errors.Join(root.Sync(filepath.Dir(full)), root.Sync(filepath.Dir(w.Full(from))))
}
