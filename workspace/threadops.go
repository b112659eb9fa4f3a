package workspace

import (
	"context"
	"iter"

	"handoff/thread"
	"handoff/thread/rip"
)

// The operations on threads. Their requests and results have the JSON that RIP
// gives them, where RIP has the operation.

// By says who asks for a change.
type By struct {
	ActorID string `json:"actor_id,omitempty"` // "user" where it is ""
	Origin  string `json:"origin,omitempty"`   // "handoff" where it is ""
}

// ThreadID is the answer that names a thread.
type ThreadID struct {
	ThreadID string `json:"thread_id"`
}

// Posted is the answer to a message.
type Posted struct {
	ThreadID  string `json:"thread_id"`
	MessageID string `json:"message_id"`
	// SessionID is the run that was started for it, nil for none.
	SessionID *string `json:"session_id"`
}

// Create begins a thread.
func (t *Threads) Create(ctx context.Context, r thread.CreateRequest) (thread.Info, error) {
	info, _, err := t.Store.Create(ctx, r)
	return info, err
}

// Ensure names the workspace's default thread, which it makes if need be.
func (t *Threads) Ensure(ctx context.Context) (ThreadID, error) {
	info, err := t.Store.Ensure(ctx)
	return ThreadID{info.ThreadID}, err
}

// List tells of all threads. Where some cannot be read, the others are listed
// and the error says which.
func (t *Threads) List(ctx context.Context) ([]thread.Info, error) { return t.Store.List(ctx) }

// Get tells what is known of a thread.
func (t *Threads) Get(ctx context.Context, id string) (thread.Info, error) {
	return t.Store.Get(ctx, id)
}

// Post appends a message and starts no run.
func (t *Threads) Post(ctx context.Context, id string, r thread.MessageRequest) (Posted, error) {
	e, err := t.Store.PostMessage(ctx, id, r)
	return Posted{ThreadID: id, MessageID: e.ID}, err
}

// Branch goes on from a cut through a thread.
func (t *Threads) Branch(ctx context.Context, id string, r thread.BranchRequest) (thread.BranchResult, error) {
	return t.Store.Branch(ctx, id, r)
}

// Handoff goes on from a summary of a thread.
func (t *Threads) Handoff(ctx context.Context, id string, r thread.HandoffRequest) (thread.HandoffResult, error) {
	return t.Store.Handoff(ctx, id, r)
}

// Events goes through a thread from an event on. With follow it waits for more
// at the end until ctx is done.
func (t *Threads) Events(ctx context.Context, id string, from uint64, follow bool) iter.Seq2[thread.Event, error] {
	if follow {
		return t.Store.Follow(ctx, id, from)
	}
	return t.Store.Events(id, from)
}

// RunText is what a run has said, up to max bytes; more says that there is more.
func (t *Threads) RunText(_ context.Context, id string, max int) (text string, more bool, err error) {
	return t.Store.SessionText(id, max)
}

// Archive says that a thread is done with, or that it is not.
func (t *Threads) Archive(ctx context.Context, id string, archived bool, by By) (thread.Info, error) {
	if archived {
		return t.Store.Archive(ctx, id, by.ActorID, by.Origin)
	}
	return t.Store.Unarchive(ctx, id, by.ActorID, by.Origin)
}

// Rename gives a thread another title, nil for none.
func (t *Threads) Rename(ctx context.Context, id string, title *string, by By) (thread.Info, error) {
	return t.Store.Rename(ctx, id, title, by.ActorID, by.Origin)
}

// Lineage is the tree that a thread stands in. Where threads cannot be read, the
// tree has the others and the error says which.
func (t *Threads) Lineage(ctx context.Context, id string) (*thread.Node, error) {
	return t.Store.Lineage(ctx, id)
}

// ExportRIP adds threads to a store of RIP, with all that they come from and
// their runs; without an id all there are.
func (t *Threads) ExportRIP(ctx context.Context, to rip.Place, ids []string) (rip.Report, error) {
	return rip.Export(ctx, t.Store, t.Blobs, to, rip.ExportOptions{Threads: ids, Now: t.options.Now})
}

// ImportRIP takes all of a store of RIP over.
func (t *Threads) ImportRIP(ctx context.Context, from rip.Place) (rip.Report, error) {
	return rip.Import(ctx, t.Store, t.Blobs, from)
}

// CursorStatus tells where providers would go on.
func (t *Threads) CursorStatus(_ context.Context, id string) (thread.CursorStatus, error) {
	return t.Store.CursorStatus(id)
}

// RotateCursor says that a provider's cursor is not to be used any more.
func (t *Threads) RotateCursor(ctx context.Context, id string, r thread.RotateRequest) (thread.RotateResult, error) {
	return t.Store.RotateCursor(ctx, id, r)
}

// SelectionStatus tells what the last contexts were compiled from: of 10 where
// limit is nil.
func (t *Threads) SelectionStatus(_ context.Context, id string, limit *uint32) (thread.SelectionStatus, error) {
	return t.Store.SelectionStatus(id, limit)
}
