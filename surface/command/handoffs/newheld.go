package handoffs

import (
	"context"
	"errors"

	"handoff/log/receipt"
	"handoff/surface/command"
	"handoff/surface/command/operations"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/documents"
	"handoff/workspace/receipts"
)

// notTheHolder is the exit code of a command that wrote nothing because of a claim. What it read from
// a pipe is kept: unlike findings, that is nothing the caller could have written better.
type notTheHolder struct{ error }

func (e *notTheHolder) Unwrap() error { return e.error }

// mayContinue refuses a handoff of a caller whose claim is stale, or of a task that somebody else
// works on, unless it is a report of a closed phase, which has no successor.
func mayContinue(ctx context.Context, w *command.Process, o *newOptions, ws *workspace.Workspace, in *create.Draft, r *create.Request) error {
	if err := fenceNew(ctx, w, o, ws, r); err != nil {
		return &notTheHolder{err}
	}
	if o.force || in.Values.Profile == "completion" {
		return nil
	}
	err := command.Holder(ctx, w, ws, documents.OfTask(in.Values.Task, in.Values.Named))
	if err == nil {
		return nil
	}
	w.Say("%s; nothing is written (to write it and take that over: --force --why TEXT)", command.Plain(err.Error()))
	return &notTheHolder{command.Exit(command.Findings)}
}

// takeOver claims by force what somebody else holds of the task. The document is already safe,
// so a failure is reported, and by the exit status.
func takeOver(ctx context.Context, w *command.Process, o *newOptions, ws *workspace.Workspace, in *create.Draft) {
	if !o.force || in.Values.Profile == "completion" {
		return
	}
	b, err := receipts.Open(ws)
	if err == nil {
		r := operations.HandoffsIn(w, ws).Request(receipts.ClaimRequest{As: command.CallerName(w.Getenv), Force: o.force, Why: o.why})
		err = b.TakeOver(ctx, w.Caller(), documents.OfTask(in.Values.Task, in.Values.Named), r)
	}
	if err != nil {
		w.Say("written, but the last handoff is not taken over: %s", command.Plain(err.Error()))
		w.Incomplete = true
	}
}

// fenceNew is fence for a new document. With --unfenced it is written, and marked, if
// it is unknown whether the claim is stale: see [receipts.Book.MayWriteNew].
func fenceNew(ctx context.Context, w *command.Process, o *newOptions, ws *workspace.Workspace, r *create.Request) error {
	unchecked, err := command.MayWriteNew(ctx, w, ws, &r.Values.Task, o.unfenced)
	if errors.As(err, new(*receipt.UnsureError)) {
		return command.Reworded(err.Error()+": nothing was written (try again when `handoff store check` reaches the store, or pass --unfenced to write a marked document)", err)
	}
	if unchecked != nil {
		w.Say("NOT CHECKED: %s; the document is marked", command.Plain(unchecked.Error()))
		r.Unfenced = true
	}
	return err
}
