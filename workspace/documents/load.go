// Package documents finds the documents of a workspace and reads them: which there are,
// which one a person means, which wait, and the bundle of each. It writes nothing.
package documents

import (
	"context"
	"fmt"
	"time"

	"handoff/log/artifact"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/reconcile"
)

// Load reads the current state of a task. load may be nil.
func Load(ctx context.Context, w *workspace.Workspace, load *reconcile.Loader, store *artifact.Store, dir string) (reconcile.State, error) {
	if l := w.Config.Documents.Own(); l != nil {
		if load == nil {
			load = new(reconcile.Loader)
		}
		load.Adapt = l.Adapt
	}
	state, err := load.Load(ctx, w.Root, store, dir)
	state.Now = w.Now()
	state.World.Receipt = func(path string) (reconcile.Receipt, error) {
		l, err := livesOf(w, 1).life(path)
		return receiptOf(&l, w.Now()), err
	}
	return state, err
}

// DoneElsewhere is when a document was done by the metadata of its task, if the receipts here
// do not record that, nor a later step.
func DoneElsewhere(ctx context.Context, w *workspace.Workspace, e Entry) (at time.Time, ok bool) {
	state, ok := taskOf(ctx, w, e)
	if !ok {
		return at, false
	}
	return state.DoneElsewhere(e.Path)
}

// ShowsDone reports whether the metadata of its task shows a document as done.
func ShowsDone(ctx context.Context, w *workspace.Workspace, e Entry) bool {
	state, ok := taskOf(ctx, w, e)
	return ok && state.ShowsDone(e.Path)
}

// taskOf is the state of the task of a document. ok is false if it is in no task folder, or
// that cannot be read.
func taskOf(ctx context.Context, w *workspace.Workspace, e Entry) (state reconcile.State, ok bool) {
	if e.Name.Dir == "" {
		return state, false
	}
	load := reconcile.Loader{Brief: true}
	state, err := Load(ctx, w, &load, nil, e.Name.Dir)
	return state, err == nil
}

// lives are the histories of documents. They are empty if
// there is no safe place for receipts, because then none can have been recorded.
type lives struct {
	place receipt.Place
	*receipt.Lives
}

// livesOf reads the histories of some number of documents.
func livesOf(w *workspace.Workspace, documents int) lives {
	store, err := w.Receipts()
	if err != nil {
		return lives{}
	}
	all := store.Lives(documents)
	return lives{store.Place(), &all}
}

func (l lives) life(path string) (life receipt.Life, err error) {
	if l.Lives == nil {
		return life, nil
	}
	return l.Life(l.place.Path(path))
}

// untouched reports whether a document certainly has no history.
func (l lives) untouched(path string) bool { return l.Lives == nil || l.Untouched(l.place.Path(path)) }

// Taken returns an error if a successor has taken a document up, because under another
// name it would have no receipts and would wait again.
func Taken(w *workspace.Workspace, path string) error {
	l, err := livesOf(w, 1).life(path)
	if err == nil && receiptOf(&l, w.Now()).Taken {
		err = fmt.Errorf("%s by %s: under another name it would wait again (if it should, use `mv`)", l.State(w.Now()), l.Last().By)
	}
	return err
}

// receiptOf returns the part of a history that package reconcile needs.
func receiptOf(l *receipt.Life, now time.Time) reconcile.Receipt {
	switch state := l.State(now); state {
	case receipt.Claimed, receipt.Done, receipt.Superseded:
		return reconcile.Receipt{Taken: true, Done: state == receipt.Done, Since: l.Since(now)}
	case receipt.Released, receipt.Expired:
		return reconcile.Receipt{Again: true, Since: l.Since(now)}
	}
	return reconcile.Receipt{}
}
