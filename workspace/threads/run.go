package threads

import (
	"context"
	"fmt"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/thread/compile"
	"handoff/log/thread/compile/render"
	"handoff/log/thread/runner"
)

// RunOptions are what a run in this workspace needs; thread, message, command
// and streams are set by the caller.
func (t *Threads) RunOptions() runner.Options {
	o := t.options
	return runner.Options{
		Store: t.Store, Blobs: t.Blobs, Folder: o.Folder, Workspace: o.Root,
		Now: o.Now, NewID: o.NewID, Dir: o.Root, File: t.file, Output: o.Output,
	}
}

// Reap closes the runs whose process was killed, and reports them. If it fails,
// other operations still work.
func (t *Threads) Reap(ctx context.Context) error {
	killed, err := runner.Reap(ctx, t.Store, t.options.Folder, t.options.Now())
	for _, r := range killed {
		t.options.Say(fmt.Sprintf("run %s of thread %s was killed and is now closed", r.RunID, r.ThreadID))
	}
	if err != nil {
		err = fmt.Errorf("runs that were killed could not be closed: %w", err)
	}
	return err
}

// Runs are the runs that have not ended, oldest first.
func (t *Threads) Runs() ([]runner.Record, error) { return runner.Live(t.Store, t.options.Folder) }

// FindRun returns the id of the run that ref names: an id, the beginning of the id of a run
// that has not ended, or latest.
func (t *Threads) FindRun(ref string) (string, error) {
	runs, unread := t.Runs()
	var ids []string
	for _, r := range runs {
		ids = append(ids, r.RunID)
	}
	if ref == handoff.Latest && len(ids) > 0 {
		return ids[len(ids)-1], nil
	}
	id, err := handoff.FindID(ref, "run", ids)
	if id == "" && err == nil {
		id, err = ref, unread
	}
	return id, err
}

// CancelRun cancels a run, and waits for its end.
func (t *Threads) CancelRun(ctx context.Context, runID string) error {
	return runner.Cancel(ctx, t.Store, t.options.Folder, runID)
}

// CompileRequest asks for the context of a run on a thread.
type CompileRequest struct {
	MessageID  *string `json:"message_id,omitempty" doc:"compile the context for answering this message"`
	FromSeq    *uint64 `json:"from_seq,omitempty" doc:"compile up to this event; without either field, the whole thread"`
	Budget     *int64  `json:"budget,omitempty" min:"1" max:"1000000000" doc:"maximum number of tokens, estimated"`
	Refs       bool    `json:"refs,omitempty" doc:"include references to bundles, files, threads and side effects, and the contexts of these threads; default: false"`
	RefsText   bool    `json:"refs_text,omitempty" doc:"include the texts of the files and artifacts, too; files are as they are now, and a server includes them with --refs-text only; default: false"`
	Base       *bool   `json:"base,omitempty" doc:"include what the thread inherits, which RIP leaves out; default: true"`
	Incomplete bool    `json:"incomplete,omitempty" doc:"leave out parts whose files are missing or damaged, and list them in notes; default: false, then they are an error"`
	Store      *bool   `json:"store,omitempty" doc:"store the bundle as an artifact; default: true"`
	ActorID    string  `json:"actor_id,omitempty" default:"user" doc:"actor; default: user"`
	Origin     string  `json:"origin,omitempty" default:"server" doc:"origin of the request; default: server"`

	NoFiles bool  `json:"-"` // the texts of files are not for who asks
	Max     int64 `json:"-"` // bytes of a context that is not stored; 0: no limit
}

// Compile builds the context of a thread up to a cut, and stores its bundle if
// requested.
func (t *Threads) Compile(_ context.Context, id string, r CompileRequest) (compile.Result, error) {
	req := compile.Request{ThreadID: id, Seq: r.FromSeq, Refs: r.Refs, RefsText: r.RefsText, Incomplete: r.Incomplete, Base: r.Base == nil || *r.Base, Max: r.Max, ActorID: r.ActorID, Origin: r.Origin}
	if r.MessageID != nil {
		req.MessageID, req.Anew = *r.MessageID, true
	}
	if r.Budget != nil {
		req.Budget = int(*r.Budget)
	}
	store := r.Store == nil || *r.Store
	if store {
		req.Max = t.Blobs.Max // a larger one could not be stored
	}
	src := compile.FromStore(t.Store, t.Blobs.Get)
	if !r.NoFiles {
		src.File = t.file
	}
	c, err := compile.Compile(src, req)
	c.Explanation.Queued = t.Waiting(id)
	if err == nil && store {
		_, err = c.Keep(t.Blobs.Put)
	}
	return c, err
}

// Summary is the summary in a handoff bundle.
func (t *Threads) Summary(id string) (string, error) {
	parsed, err := artifact.ParseID(id)
	if err != nil {
		return "", err
	}
	src, err := t.Blobs.Get(parsed)
	if err != nil {
		return "", err
	}
	h, err := bundle.ParseHandoff(src)
	return h.SummaryMarkdown, err
}

// Render formats a stored context bundle for a provider, with the tools that it
// declares.
func Render(blobs *artifact.Store, id artifact.ID, f render.Format, tools []render.Tool) (render.Rendering, error) {
	src, err := blobs.Get(id)
	if err != nil {
		return render.Rendering{}, err
	}
	c, err := bundle.ParseContext(src)
	if err != nil {
		return render.Rendering{}, fmt.Errorf("%s is not a context bundle: %w", id, err)
	}
	return f.Render(c, render.Options{Artifact: blobs.Get, Tools: tools})
}
