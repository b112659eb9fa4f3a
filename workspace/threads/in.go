package threads

import (
	"context"
	"path/filepath"

	"handoff/workspace"
)

// In opens the threads of a workspace; see [Open]. To write, the folder of the tool's own
// files is created if it is missing.
func In(ctx context.Context, w *workspace.Workspace, writes bool) (*Threads, error) {
	if err := w.Enter(writes || w.HasStream()); err != nil {
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
	return Open(ctx, Options{Root: w.Root, Folder: filepath.Join(w.Root, workspace.StateDir), Now: w.Now, NewID: o.NewID, Say: o.Say, Progress: o.Progress,
		Upstream: upstream, Blobs: w.Blobs(), Outbox: box, Output: w.Config.Output})
}
