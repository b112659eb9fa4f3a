package command

import (
	"context"
	"errors"

	"handoff/agents"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/receipts"
	"handoff/workspace/relay/log"
	"handoff/workspace/relay/word"
)

// WithSteps does something with the steps of handoffs. Without a place for them there are no claims: that is an error
// only for a caller who passes one.
func WithSteps(w *Process, ws *workspace.Workspace, do func(*receipts.Book) error) error {
	b, err := receipts.Open(ws)
	switch {
	case err == nil:
		return do(b)
	case w.Claim() == "":
		return nil
	}
	return err
}

// ClaimOn is the claim that a spawned agent gets if it is for its handoff; "" for none.
func ClaimOn(ctx context.Context, w *Process, ws *workspace.Workspace, args Arguments) string {
	b, err := receipts.Open(ws)
	if err != nil || w.Claim() != "" || !w.Caller().Alone() {
		return w.Claim()
	}
	claim, _ := b.ClaimOn(ctx, w.Target(args.First())) // a handoff that cannot be found is reported by who prepares the agent
	return claim
}

// Target is a handoff for a step of the caller; ref "" is the one that it has claimed.
func (w *Process) Target(ref string) receipts.Target {
	who := w.Caller()
	return receipts.Target{Dir: w.Dir, Ref: ref, Claim: who.Claim, Who: who}
}

// Superseded records that the caller wrote the next handoff of a task that it
// holds a claim on. The document is already safe, so a failure is
// reported, and by the exit status.
func Superseded(ctx context.Context, w *Process, ws *workspace.Workspace, path string) {
	SayOtherTask(ctx, w, ws, path)
	err := WithSteps(w, ws, func(b *receipts.Book) error {
		_, err := b.Continue(ctx, w.Caller(), path, "")
		return err
	})
	if err != nil {
		w.Say("written, but the claimed handoff is not superseded: %s", Plain(err.Error()))
		w.Incomplete = true
	}
}

// Delivered records that a brief is about to be shown: to the holder of a
// claim, or to the agent that --as names. Reading needs no claim, so
// a stale one is only reported.
func Delivered(ctx context.Context, w *Process, ws *workspace.Workspace, ref, as string) error {
	b, err := receipts.Open(ws)
	if err != nil && as == "" && w.Claim() == "" {
		return nil
	}
	if err == nil {
		err = b.Deliver(ctx, w.Target(ref), as)
	}
	if as == "" && err != nil {
		w.Complain(err)
		return nil
	}
	return SayRefused(w, err)
}

// ClaimedRef is the handoff that the caller holds a claim on, for a command
// without an argument; "" without a claim.
func ClaimedRef(ctx context.Context, w *Process, ws *workspace.Workspace, args Arguments) (path string, err error) {
	if len(args) > 0 {
		return "", nil
	}
	err = WithSteps(w, ws, func(b *receipts.Book) error {
		path, _, err = b.Claimed(ctx, w.Target(""))
		return SayRefused(w, err)
	})
	return path, err
}

// Fence rejects writes of a caller whose claim another one has replaced, or whose claim cannot be
// checked now. A claim that is not passed but found may be limited to a task; nil for all. What
// they write can be written again later, so there is no way to write it unchecked.
func Fence(ctx context.Context, w *Process, ws *workspace.Workspace, task *int) error {
	_, err := MayWriteNew(ctx, w, ws, task, false)
	if errors.As(err, new(*receipt.UnsureError)) {
		err = Reworded(err.Error()+": nothing was written (try again when `handoff store check` reaches the store)", err)
	}
	return err
}

// MayWriteNew rejects a new document of a caller whose claim is stale. With unfenced it returns why the
// claim could not be checked instead of an error: see [receipts.Book.MayWriteNew].
func MayWriteNew(ctx context.Context, w *Process, ws *workspace.Workspace, task *int, unfenced bool) (unchecked, err error) {
	err = WithSteps(w, ws, func(b *receipts.Book) error {
		unchecked, err = b.MayWriteNew(ctx, w.Caller(), task, unfenced)
		return err
	})
	return unchecked, SayRefused(w, err)
}

// SayOtherTask tells an agent of a relay, and the relay, that it wrote a handoff of another task: the
// next agent of the relay does not continue that.
func SayOtherTask(ctx context.Context, w *Process, ws *workspace.Workspace, path string) {
	id := w.Getenv(agents.RelayVar)
	book, ok := word.To(ws, id)
	if !ok {
		return
	}
	s, err := log.Read(ws, id)
	name := ws.NameOf(path)
	if err != nil || name.Width > 0 && name.Task == s.Plan.Task {
		return // a journal that cannot be read is the relay's business
	}
	w.Say("the relay that runs you is about task %d: it does not take this handoff (write one with --task %d)", s.Plan.Task, s.Plan.Task)
	w.Complain(book.SayOther(ctx, w.Getenv("HANDOFF_REF"), path))
}
