package workspace

import (
	"context"
	"fmt"
	"path/filepath"

	"handoff/artifact"
	"handoff/bundle"
	"handoff/thread/compile"
	"handoff/thread/compile/render"
	"handoff/thread/runner"
)

// RunOptions are what a run in this workspace needs; thread, message, command
// and streams are the caller's to set.
func (t *Threads) RunOptions() runner.Options {
	return runner.Options{
		Store: t.Store, Blobs: t.Blobs, Folder: t.folder(), Workspace: t.workspace.Root,
		Now: t.options.Now, NewID: t.options.NewID, Dir: t.workspace.Root,
	}
}

func (t *Threads) folder() string { return filepath.Join(t.workspace.Root, StateDir) }

// Reap closes the runs whose process was killed, and says which. That it cannot
// must keep nobody from anything else.
func (t *Threads) Reap(ctx context.Context) error {
	killed, err := runner.Reap(ctx, t.Store, t.folder(), t.options.Now())
	for _, r := range killed {
		t.options.Say(fmt.Sprintf("run %s of thread %s was killed and is now closed", r.RunID, r.ThreadID))
	}
	if err != nil {
		err = fmt.Errorf("runs that were killed could not be closed: %w", err)
	}
	return err
}

// Runs are the runs that have not ended, the oldest first.
func (t *Threads) Runs() ([]runner.Record, error) { return runner.Live(t.Store, t.folder()) }

// CancelRun makes a run end, and waits for it.
func (t *Threads) CancelRun(ctx context.Context, runID string) error {
	return runner.Cancel(ctx, t.Store, t.folder(), runID)
}

// Compile makes the context of a cut through a thread, and stores its bundle
// if it is to.
func (t *Threads) Compile(_ context.Context, r compile.Request, store bool) (compile.Result, error) {
	if store {
		r.Max = t.Blobs.Max // or it would be read in vain
	}
	c, err := compile.Compile(compile.FromStore(t.Store, t.Blobs.Get), r)
	if err == nil && store {
		_, err = c.Keep(t.Blobs.Put)
	}
	return c, err
}

// Render writes a context bundle that is stored in a provider's form, with the
// tools that it is to declare.
func (w *Workspace) Render(_ context.Context, id artifact.ID, f render.Format, tools []render.Tool) (render.Rendering, error) {
	blobs, err := w.Artifacts()
	if err != nil {
		return render.Rendering{}, err
	}
	defer blobs.Close()
	src, err := blobs.Get(id)
	if err != nil {
		return render.Rendering{}, missing(id, err)
	}
	c, err := bundle.ParseContext(src)
	if err != nil {
		return render.Rendering{}, fmt.Errorf("%s is not a context bundle: %w", id, err)
	}
	return f.Render(c, render.Options{Artifact: blobs.Get, Tools: tools})
}
