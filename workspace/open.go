package workspace

import (
	"context"
	"path/filepath"

	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

// Threads opens the workspace's threads; see [threads.Open]. To write, the
// folder of the tool's own files is created if it is missing.
func (w *Workspace) Threads(ctx context.Context, writes bool) (*threads.Threads, error) {
	if err := w.enter(writes || w.HasStream()); err != nil {
		return nil, err
	}
	upstream, err := w.Upstream(ctx)
	if err != nil {
		return nil, err
	}
	box, err := w.StreamOutbox()
	if err != nil {
		return nil, err
	}
	o := w.Options
	return threads.Open(ctx, threads.Options{Root: w.Root, Folder: filepath.Join(w.Root, StateDir), Now: w.Now, NewID: o.NewID, Say: o.Say, Progress: o.Progress,
		Upstream: upstream, Blobs: w.Blobs(), Outbox: box})
}

// Tapes opens the workspace's tapes, or those of the home of Bub in a folder; see
// [tapes.Open]. To write, the folder of the tool's own files is created if it is
// missing.
func (w *Workspace) Tapes(home string, writes bool) (*tapes.Tapes, error) {
	if err := w.enter((writes || w.HasStream()) && home == ""); err != nil {
		return nil, err
	}
	upstream, err := w.Upstream(context.Background())
	if err != nil {
		return nil, err
	}
	box, err := w.StreamOutbox()
	if err != nil {
		return nil, err
	}
	o := w.Options
	return tapes.Open(tapes.Options{Root: w.Root, Folder: filepath.Join(w.Root, StateDir), Label: w.Config.Label, Home: home, Writes: writes,
		Now: w.Now, NewID: o.NewID, Say: o.Say, Progress: o.Progress, Upstream: upstream, Outbox: box,
		Prepare: func() error { return w.enter(true) }})
}
