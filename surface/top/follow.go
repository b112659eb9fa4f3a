package top

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"handoff/log/receipt"
	"handoff/watch"
	"handoff/workspace/overview"
)

// Receipts are polled, because they may be outside the tree that is watched. The pause
// grows with their number, so that an idle screen takes at most a 25th of a processor.
const (
	pollReceipts   = 250 * time.Millisecond
	restOfReceipts = 24
)

// changed reports that something in the workspace may have changed.
type changed struct{}

// said is a message for the user.
type said string

// follow reports changes to the board, and sends a message for each, until ctx ends.
func follow(ctx context.Context, o Options, board *overview.Board, send func(tea.Msg)) {
	w := watch.Open(watch.Options{Root: o.Workspace.Root, Layouts: o.Workspace.Config.Documents, Quiet: watch.DefaultQuiet, Say: func(text string) { send(said(text)) }})
	defer func() {
		w.Close()
		for range w.Dirty {
		}
	}()
	defer context.AfterFunc(ctx, w.Close)()
	go func() { // receipts and messages do not wait until everything is watched
		for range w.First {
		}
		board.Changed()
		send(changed{}) // for what changed before it was watched
	}()
	receipts := newReceipts(o)
	poll := time.NewTimer(pollReceipts)
	defer poll.Stop()
	dirty := w.Dirty
	for {
		select {
		case <-ctx.Done():
			return
		case text := <-o.Said:
			send(said(text))
		case tasks, ok := <-dirty:
			if !ok {
				dirty = nil // nothing can be watched
				if err := w.Err(); err != nil {
					send(said(err.Error()))
				}
				continue
			}
			board.Changed(tasks...)
			send(changed{})
		case <-poll.C:
			began := time.Now()
			if receipts.changed() {
				send(changed{})
			}
			poll.Reset(max(pollReceipts, restOfReceipts*time.Since(began)))
		}
	}
}

// receiptsSeen remembers the receipts of a workspace.
type receiptsSeen struct {
	store *receipt.Store // nil if there is no place for receipts
	seen  receipt.Seen
}

func newReceipts(o Options) *receiptsSeen {
	store, err := o.Workspace.Receipts()
	if err != nil {
		store = nil // the process that claims gets the error
	}
	return &receiptsSeen{store, receipt.Seen{}}
}

// changed reports whether a receipt was written since the last call.
func (r *receiptsSeen) changed() (some bool) {
	if r.store == nil {
		return false
	}
	for range r.store.Changed(r.seen) {
		some = true
	}
	return some
}
