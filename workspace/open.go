package workspace

import (
	"context"
	"fmt"
	"path/filepath"

	"handoff/artifact"
	"handoff/bundle"
	"handoff/thread/compile/render"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

// Threads opens the workspace's threads; see [threads.Open]. To write, the
// folder of the tool's own files is created if it is missing.
func (w *Workspace) Threads(ctx context.Context, writes bool) (*threads.Threads, error) {
	if err := w.enter(writes); err != nil {
		return nil, err
	}
	o := w.Options
	return threads.Open(ctx, threads.Options{Root: w.Root, Folder: filepath.Join(w.Root, StateDir), Now: w.Now, NewID: o.NewID, Say: o.Say, Progress: o.Progress})
}

// Tapes opens the workspace's tapes, or those of the home of Bub in a folder; see
// [tapes.Open]. To write, the folder of the tool's own files is created if it is
// missing.
func (w *Workspace) Tapes(home string, writes bool) (*tapes.Tapes, error) {
	if err := w.enter(writes && home == ""); err != nil {
		return nil, err
	}
	o := w.Options
	return tapes.Open(tapes.Options{Root: w.Root, Folder: filepath.Join(w.Root, StateDir), Label: w.Config.Label, Home: home, Writes: writes,
		Now: w.Now, NewID: o.NewID, Progress: o.Progress, Prepare: func() error { return w.enter(true) }})
}

// Render formats a stored context bundle for a provider, with the tools that it
// declares.
func (w *Workspace) Render(_ context.Context, id artifact.ID, f render.Format, tools []render.Tool) (render.Rendering, error) {
	blobs, err := w.Artifacts()
	if err != nil {
		return render.Rendering{}, err
	}
	defer blobs.Close()
	src, err := blobs.Get(id)
	if err != nil {
		return render.Rendering{}, MissingArtifact(id, err)
	}
	c, err := bundle.ParseContext(src)
	if err != nil {
		return render.Rendering{}, fmt.Errorf("%s is not a context bundle: %w", id, err)
	}
	return f.Render(c, render.Options{Artifact: blobs.Get, Tools: tools})
}
