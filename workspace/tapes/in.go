package tapes

import (
	"context"
	"path/filepath"

	"handoff/log/tape"
	"handoff/workspace"
)

// In opens the tapes of a workspace, or those of the home of Bub in a folder; see
// [Open]. To write, the folder of the tool's own files is created if it is missing.
func In(w *workspace.Workspace, home string, writes bool) (*Tapes, error) {
	if err := w.Enter((writes || w.HasStream()) && home == ""); err != nil {
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
	var elsewhere func(string) (*tape.Store, error)
	other := &others{options: o}
	if o.Elsewhere != nil {
		elsewhere = other.named
	}
	t, err := Open(Options{Root: w.Root, Folder: filepath.Join(w.Root, workspace.StateDir), Label: w.Config.Label, Home: home, Writes: writes,
		Now: w.Now, NewID: o.NewID, Say: o.Say, Progress: o.Progress, Upstream: upstream, Outbox: box,
		Elsewhere: elsewhere, Prepare: func() error { return w.Enter(true) }})
	if t != nil {
		t.done = other.done
	}
	return t, err
}
