package main

import (
	"cmp"
	"errors"

	"github.com/urfave/cli/v2"

	"handoff/workspace"
	"handoff/workspace/outbox"
	"handoff/workspace/receipts"
)

func storeDrainCommand(w *process) *cli.Command {
	return &cli.Command{
		Name: "drain", Usage: "send the steps that waited because the store could not be reached",
		Description: "ack, renew, release and done wait in the outbox if the store cannot be reached. They are sent in order. One that is\n" +
			"not allowed any more, because another claim has replaced that of the request, is reported and removed.\n" +
			"Exit status: 0 if nothing waits any more, 1 if a step was refused, 2 if the store cannot be reached.",
		Action: alone(w.inWorkspace(w.storeDrain)),
	}
}

func (w *process) storeDrain(c *cli.Context, ws *workspace.Workspace) error {
	b, err := receipts.Open(ws)
	if err != nil {
		return err
	}
	refused, err := w.drain(c, b)
	all, readErr := b.Queued()
	if len(all) > 0 {
		w.say("%s waiting in the outbox", count(uint64(len(all)), "step"))
	}
	return cmp.Or(err, readErr, found(refused))
}

// drain sends what waits in the outbox, and reports what was refused.
func (w *process) drain(c *cli.Context, b *receipts.Book) (refused bool, err error) {
	sent, err := b.Drain(c.Context, func(r outbox.Request, err error) {
		refused = true
		w.say("outbox: %s of %s, made %s: not recorded: %s", r.Step, plain(r.Handoff), r.At.Format("2006-01-02T15:04:05Z"), plain(err.Error()))
	})
	if sent > 0 {
		w.say("outbox: %s sent", count(uint64(sent), "waiting step"))
	}
	return refused, err
}

// drainFirst sends what waits before a new step, so that no step overtakes an earlier
// one. If the store is away, the new step waits too.
func (w *process) drainFirst(c *cli.Context, b *receipts.Book) error {
	b.QueueSteps()
	if _, err := w.drain(c, b); !outbox.Away(err) {
		return err
	}
	return nil
}

// queued reports a step that waits in the outbox, which is no error for the caller: the
// record is then what the local copy shows.
func (w *process) queued(r receipts.Record, err error) (receipts.Record, error) {
	waiting, ok := errors.AsType[*receipts.QueuedError](err)
	if !ok {
		return r, err
	}
	w.complain(err)
	return waiting.Record, nil
}
