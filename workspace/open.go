package workspace

import (
	"context"
	"fmt"
	"path/filepath"

	"handoff/artifact"
	"handoff/bundle"
	"handoff/thread/compile/render"
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
