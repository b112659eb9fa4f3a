package command

import (
	"context"
	"time"

	"handoff/internal/text/say"
	"handoff/log/engine"

	"handoff/workspace"
	"handoff/workspace/drain"
	"handoff/workspace/outbox"
	"handoff/workspace/receipts"
	"handoff/workspace/work"
)

// ShareWork pushes uncommitted work to the remote that the workspace has as its store. What
// cannot be sent now is sent with the next handoff, or by `store drain`.
func ShareWork(ctx context.Context, w *Process, ws *workspace.Workspace) {
	sent, err := work.Send(ctx, ws)
	for _, s := range sent {
		for _, path := range s.Withheld {
			w.Say("not sent with %s, because a secret is in it: %s", s.Name(), Plain(path))
		}
	}
	if err != nil {
		w.Say("uncommitted work is kept here, and not sent to %s: %s (`handoff store drain` tries again)", Plain(ws.Config.Store.String()), Plain(err.Error()))
	}
}

// DrainNow sends what waits in the outbox, and reports what was refused.
func DrainNow(ctx context.Context, w *Process, ws *workspace.Workspace, r drain.Request) (sent int, refused bool, err error) {
	r.Refused = func(r outbox.Refused) {
		refused = true
		w.Say("%s", Plain(r.Text()))
	}
	sent, err = drain.Run(ctx, ws, r)
	if sent > 0 {
		w.Say("outbox: %s sent", say.Count(sent, "waiting request"))
	}
	return sent, refused, err
}

// drainTime bounds how long a command sends what waits, before it does its own work.
const drainTime = 2 * time.Second

// DrainFirst sends queued requests before a command's own work. Errors do not fail the
// command: its request is then queued too, or reports why the store is unreachable.
func DrainFirst(ctx context.Context, w *Process, ws *workspace.Workspace) {
	if _, _, err := DrainNow(ctx, w, ws, drain.Request{Most: drainTime}); err != nil && !outbox.Away(err) {
		w.Complain(err)
	}
}

// Hurry makes a command fail soon if the store was found to be away just now.
func Hurry(ctx context.Context, ws *workspace.Workspace) context.Context {
	if ws.Told() {
		return engine.Hurry(ctx, time.Second)
	}
	return ctx
}

// DrainBeside sends what waits now, and while a command runs that takes long.
func DrainBeside(ctx context.Context, w *Process, ws *workspace.Workspace) (stop func()) {
	DrainFirst(ctx, w, ws)
	ctx, cancel := context.WithCancel(ctx)
	say := func(text string) { w.Say("%s", Plain(text)) }
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		drain.Keeper{Open: func() (*workspace.Workspace, error) { return workspace.Open(ws.Root, w.Quietly(nil)) }, Say: say}.Keep(ctx)
	}()
	return func() { cancel(); <-ended }
}

// SayStepQueued reports a step that waits in the outbox, which is not an error for the caller.
func SayStepQueued(w *Process, r receipts.Record) {
	if q := r.NotRecorded; q != nil {
		SayQueued(w, string(q.Step), &outbox.Queued{Waiting: q.Waiting, Why: q.Why})
	}
}

// SayQueued prints that a request waits; q is nil for one to a server. It leaves out
// the reason if a line about the local copy has already given it.
func SayQueued(w *Process, what string, q *outbox.Queued) {
	if q == nil {
		w.Say("%s: not recorded yet: the store of the server is away, and the request waits in its outbox", what)
		return
	}
	why := ""
	if w.Workspace == nil || !w.Workspace.Told() {
		why = Plain(q.Why.Error()) + ": "
	}
	w.Say("%s%s: not recorded yet: the request waits in the outbox (number %d) until the store answers; `handoff store drain` tries now", why, what, q.Waiting)
}

// SayWaiting prints how many requests for a log are not in the local copy yet; shown is
// what the output has of them.
func SayWaiting(w *Process, ws *workspace.Workspace, log, what, shown string) {
	box, err := ws.Outbox()
	if err != nil {
		return
	}
	if n, err := box.Waiting(log); err == nil && n > 0 {
		w.Say("%s for this %s not sent to the store yet, %s (`handoff store drain` sends what waits)", say.Count(n, "request"), what, shown)
	}
}
