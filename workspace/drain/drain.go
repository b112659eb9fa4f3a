// Package drain sends the requests that wait in the outbox of a workspace to its store:
// steps on handoffs, messages to threads and entries for tapes.
package drain

import (
	"context"
	"errors"
	"time"

	"handoff/log/engine"
	"handoff/workspace"
	"handoff/workspace/outbox"
	"handoff/workspace/receipts"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

// Request describes how to drain.
type Request struct {
	Most     time.Duration // begin no request later: the rest waits; 0 for no limit
	Insist   bool          // ask the store also if it did not answer a moment ago
	AnyStore bool          // also send requests made for another store
	Refused  func(outbox.Refused)
}

// Run sends the waiting requests, and returns how many were recorded. If the store is
// unreachable, [outbox.Away] is true for the error and the rest waits. Without a request,
// nothing is opened.
func Run(ctx context.Context, ws *workspace.Workspace, r Request) (sent int, err error) {
	box, err := ws.Outbox()
	if err != nil {
		return 0, err
	}
	if size, err := box.Size(); err != nil || size.Requests == 0 {
		return 0, err
	}
	if err := reach(ctx, ws, box, r.Insist); err != nil {
		return 0, err
	}
	d := drain{ctx: ctx, ws: ws, box: box}
	err = box.Ask(func() (err error) {
		sent, err = box.Drain(ctx, outbox.Sender{Send: d.send, Refused: r.Refused, AnyStore: r.AnyStore, Most: r.Most, Now: ws.Now})
		return err
	})
	return sent, errors.Join(err, d.close())
}

// anyLog is a log that need not exist. Opening a git store asks nothing yet, its length does.
const anyLog = "receipts/0000000000000000.jsonl"

// reach gets an answer from the store first, because opening the rest would read the copy.
func reach(ctx context.Context, ws *workspace.Workspace, box *outbox.Box, insist bool) error {
	try := box.Try
	if insist {
		try = box.Ask
	}
	return try(func() error {
		ctx := box.Hurry(ctx)
		store, err := ws.Store(ctx)
		if err == nil && store != nil {
			err = engine.InTime(ctx, func(ctx context.Context) error { _, err := store.Len(ctx, anyLog); return err })
		}
		return err
	})
}

// drain opens what requests need.
type drain struct {
	ctx     context.Context
	ws      *workspace.Workspace
	box     *outbox.Box
	book    *receipts.Book
	threads *threads.Threads
	tapes   *tapes.Tapes
}

func (d *drain) close() (err error) {
	if d.threads != nil {
		err = d.threads.Close()
	}
	if d.tapes != nil {
		err = errors.Join(err, d.tapes.Close())
	}
	return err
}

// send records a request.
func (d *drain) send(r outbox.Request) (err error) {
	ctx := d.box.Hurry(d.ctx)
	switch r.Step {
	case outbox.Post:
		if d.threads == nil {
			d.threads, err = threads.In(d.ctx, d.ws, true)
		}
		if err == nil {
			err = d.threads.Send(ctx, r)
		}
	case outbox.Append:
		if d.tapes == nil {
			d.tapes, err = tapes.In(d.ws, "", true)
		}
		if err == nil {
			err = d.tapes.Send(ctx, r)
		}
	default:
		if d.book == nil {
			d.book, err = receipts.Open(d.ws)
		}
		if err == nil {
			err = d.book.Send(ctx, r)
		}
	}
	return err
}
