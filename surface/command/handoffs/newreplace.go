package handoffs

import (
	"context"

	"handoff/surface/command"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/receipts"
)

// replaces fills in the task and the phase of the handoff that --replace names. It refuses one
// that somebody else holds or has finished, before anything is written.
func replaces(ctx context.Context, w *command.Process, o *newOptions, ws *workspace.Workspace, in *create.Draft) error {
	if !o.replaceGiven {
		return nil
	}
	b, err := receipts.Open(ws)
	if err != nil {
		return err
	}
	t := receipts.Target{Dir: w.Dir, Ref: o.replace, Claim: w.Claim(), Who: w.Caller()}
	w.Replacing, err = b.Replacing(ctx, t, &in.Values.Task, &in.Values.Phase)
	if err != nil && (o.key == "" || w.Replacing == "") { // else an earlier call with the key may have replaced it
		return command.SayRefused(w, err)
	}
	return nil
}

// replaced records that a handoff was written instead of another one. The document is already
// safe, so a failure is reported, and by the exit status.
func replaced(ctx context.Context, w *command.Process, ws *workspace.Workspace, path string) {
	if w.Replacing == "" {
		return
	}
	b, err := receipts.Open(ws)
	if err == nil {
		err = b.Replace(ctx, w.Replacing, path, "handoff new --replace")
	}
	if err != nil {
		w.Say("written, but %s is not superseded: %s", command.Plain(w.Replacing), command.Plain(err.Error()))
		w.Incomplete = true
	}
}
