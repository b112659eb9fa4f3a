package drain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"handoff/workspace"
	"handoff/workspace/outbox"
)

// Keeper drains repeatedly, for programs that run long.
type Keeper struct {
	Open  func() (*workspace.Workspace, error)
	Say   func(text string) // gets a line for each request sent or refused
	Every time.Duration     // between two looks at the outbox; 2 s if it is 0
}

// If the store is unreachable, it is tried again after longer and longer pauses.
const (
	lookEvery = 2 * time.Second
	shortest  = 500 * time.Millisecond
	longest   = 15 * time.Second

	openEvery = 15 // looks: an outbox moves when the folder becomes a repository
)

// Keep drains until the context ends. An empty outbox costs one read of a folder. An
// error is reported once while it stays the same, but not that the store is unreachable.
func (k Keeper) Keep(ctx context.Context) {
	if k.Every == 0 {
		k.Every = lookEvery
	}
	wait, pause, said := k.Every, shortest, ""
	var box *outbox.Box
	for looks := 0; ; looks++ {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		var err error
		if looks%openEvery == 0 || !empty(box) {
			box, err = k.once(ctx)
		}
		if err == nil {
			wait, pause, said = k.Every, shortest, ""
			continue
		}
		wait, pause = pause, min(2*pause, longest)
		if text := err.Error(); !outbox.Away(err) && ctx.Err() == nil && text != said {
			said = text
			k.Say(text)
		}
	}
}

// empty reports whether nothing waits. An outbox that is unknown, or cannot be read, is not empty.
func empty(box *outbox.Box) bool {
	if box == nil {
		return false
	}
	size, err := box.Size()
	return err == nil && size.Requests == 0
}

// once drains, and returns the outbox; nil if there is none yet.
func (k Keeper) once(ctx context.Context) (box *outbox.Box, err error) {
	ws, err := k.Open()
	if err != nil {
		return nil, nil // who serves or watches reports it
	}
	defer ws.Close()
	box, _ = ws.Outbox() // Run reports the error
	sent, err := Run(ctx, ws, Request{Insist: true, Refused: func(r outbox.Refused) { k.Say(r.Text()) }})
	if sent > 0 {
		k.Say(fmt.Sprintf("outbox: %d waiting requests sent", sent))
	}
	if errors.Is(err, context.Canceled) {
		return box, nil
	}
	return box, err
}
