package tapes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"handoff/document/handoff"
	"handoff/log/tape"
	"handoff/log/thread"
	"handoff/workspace/outbox"
)

// appendOrQueue appends entries with an idempotency key, so that a request whose answer
// was lost can be sent again.
func (t *Tape) appendOrQueue(ctx context.Context, r tape.AppendRequest) (Appended, error) {
	if r.Key == "" {
		r.Key = t.all.newID()
	}
	if err := t.CheckEntries(r); err != nil {
		return Appended{}, err
	}
	entries, err := linesOf(r.Entries)
	if err != nil {
		return Appended{}, err
	}
	request := outbox.Request{Key: r.Key, At: t.all.now().UTC(), Step: outbox.Append, Tape: t.Name(), Entries: entries, Bare: r.Bare}
	a := Appended{Tape: t.Name()}
	a.Waits, err = t.all.options.Outbox.Do(ctx, request, func() error { return nil }, func(ctx context.Context) (err error) {
		a.Entries, a.Existed, err = t.AppendOnce(ctx, r)
		return err
	})
	if a.Waits != nil {
		a.Queued, a.Key, a.Entries = true, r.Key, []tape.Entry{}
	}
	return a, err
}

// Waiting is how many requests for a tape wait for the store.
func (t *Tapes) Waiting(name string) int {
	if t.options.Outbox == nil {
		return 0
	}
	n, _ := t.options.Outbox.Waiting(outbox.TapeLog(name)) // who drains reports the error
	return n
}

// waiting are the appends to a tape that wait for the store.
func (t *Tapes) waiting(name string) (appends []tape.Waiting, err error) {
	requests, err := t.options.Outbox.For(outbox.TapeLog(name))
	for _, r := range requests {
		a, err := appendOf(r)
		if err != nil {
			return nil, err
		}
		appends = append(appends, tape.Waiting{Key: a.Key, At: a.At, Entries: a.Entries})
	}
	return appends, err
}

// appendOf is the append of a request of the outbox.
func appendOf(r outbox.Request) (tape.AppendRequest, error) {
	a := tape.AppendRequest{Key: r.Key, Bare: r.Bare, At: r.At}
	if err := json.Unmarshal(r.Entries, &a.Entries); err != nil {
		return a, fmt.Errorf("entries of the request %s: %w: %w", r.Key, err, handoff.ErrInvalid)
	}
	return a, nil
}

// linesOf is a JSON array with the lines of entries, as they are on a tape.
func linesOf(entries []tape.Entry) (json.RawMessage, error) {
	lines := make([][]byte, len(entries))
	for i := range entries {
		line, err := entries[i].Line()
		if err != nil {
			return nil, err
		}
		lines[i] = line
	}
	return slices.Concat([]byte("["), bytes.Join(lines, []byte(",")), []byte("]")), nil
}

// Send appends the entries of a request of the outbox, once. Those without a date get
// that of the request.
func (t *Tapes) Send(ctx context.Context, r outbox.Request) error {
	a, err := appendOf(r)
	if err != nil {
		return err
	}
	one, err := t.Store.Tape(r.Tape)
	if err == nil {
		_, _, err = one.AppendOnce(outbox.Sending(ctx), a)
	}
	return outbox.Final(err)
}

// first sends the entries that wait for a tape, before anything else is written to it, taken
// from it or decided about it.
func (t *Tapes) first(ctx context.Context, name string) error {
	send := func(r outbox.Request) error { return t.Send(t.options.Outbox.Hurry(ctx), r) }
	refused := func(r outbox.Refused) {
		if t.options.Say != nil {
			t.options.Say(r.Text())
		}
	}
	return t.options.Outbox.Settle(ctx, outbox.Sender{Send: send, Refused: refused, Now: t.now}, outbox.TapeLog(name))
}

func (t *Tapes) now() time.Time {
	if t.options.Now == nil {
		return time.Now()
	}
	return t.options.Now()
}

func (t *Tapes) newID() string {
	if t.options.NewID == nil {
		return thread.NewUUID()
	}
	return t.options.NewID()
}
