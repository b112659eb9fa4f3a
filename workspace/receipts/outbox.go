package receipts

import (
	"context"
	"fmt"
	"time"

	"handoff"
	"handoff/receipt"
	"handoff/workspace/outbox"
)

// QueuedError says that a step is not recorded yet: the store could not be reached, and
// the request waits in the outbox.
type QueuedError struct {
	Record  Record // what the local copy shows, without the step
	Waiting int    // requests in the outbox
	Err     error  // why the store could not be reached
}

func (e *QueuedError) Error() string {
	return fmt.Sprintf("%v: not recorded yet: the request waits in the outbox (number %d) and is sent by the next step that reaches the store; `handoff store drain` tries now", e.Err, e.Waiting)
}

func (e *QueuedError) Unwrap() error { return e.Err }

// QueueSteps makes Acknowledge, Renew, Release and Finish add a request to the outbox if
// the store cannot be reached: the error is a [QueuedError] then.
func (b *Book) QueueSteps() { b.queues = true }

// Queued returns the requests in the outbox, the oldest first.
func (b *Book) Queued() ([]outbox.Request, error) { return b.box().Requests() }

func (b *Book) box() *outbox.Box { return outbox.Open(b.store.Place()) }

// Drain sends the requests of the outbox. refused is called with each one that is not
// allowed any more, such as with a stale claim; it is removed. If the store cannot be
// reached, the error is that of [outbox.Away], and later steps of this Book that can be
// queued are queued without another attempt.
func (b *Book) Drain(ctx context.Context, refused func(outbox.Request, error)) (sent int, err error) {
	sent, err = b.box().Drain(ctx, func(r outbox.Request) error { return b.send(ctx, r) }, refused)
	if b.away = nil; outbox.Away(err) {
		b.away = err
	}
	return sent, err
}

// send records a request of the outbox. What a release changes in the metadata is
// written by the next sync if it cannot be now.
func (b *Book) send(ctx context.Context, r outbox.Request) error {
	decide, err := decision(r, b.ws.Now())
	if err == nil {
		_, err = b.store.Record(ctx, r.Handoff, decide)
	}
	if path, ok := b.store.Place().InWorkspace(r.Handoff); err == nil && ok && r.Step == outbox.Release {
		_ = b.relink(ctx, handoff.ParseName(path).Dir)
	}
	return err
}

// step records a request, or queues it.
func (b *Book) step(ctx context.Context, f found, r outbox.Request) (Record, error) {
	r.At, r.Handoff, r.SHA256 = b.ws.Now().UTC(), f.name, f.sha256
	decide, err := decision(r, r.At)
	if err != nil {
		return Record{}, err
	}
	if b.away == nil {
		l, err := b.store.Record(ctx, f.name, decide)
		if err == nil {
			return b.recordOf(f.Entry, &l), nil
		}
		if !b.queues || !outbox.Away(err) {
			return Record{}, err
		}
		b.away = err
	}
	// What the copy already forbids, the store forbids too: it only has more steps.
	l, err := b.store.Life(f.name)
	if err == nil {
		_, err = decide(f.name, &l)
	}
	if err != nil {
		return Record{}, err
	}
	waiting, err := b.box().Add(ctx, r)
	if err != nil {
		return Record{}, fmt.Errorf("%w, and the request could not be queued: %w", b.away, err)
	}
	return Record{}, &QueuedError{b.recordOf(f.Entry, &l), waiting, b.away}
}

// decision is what a request asks the receipts for.
func decision(r outbox.Request, now time.Time) (receipt.Decision, error) {
	m := receipt.Moment{Now: now, SHA256: r.SHA256}
	switch r.Step {
	case outbox.Acknowledge:
		return m.Acknowledge(r.By, r.Claim, r.Matched), nil
	case outbox.Renew:
		return m.Renew(r.Claim, time.Duration(r.TTL)), nil
	case outbox.Release:
		return m.Release(r.Claim, r.Why), nil
	case outbox.Done:
		return m.Finish(r.By, r.Claim), nil
	}
	return nil, fmt.Errorf("%w: unknown step %q in the outbox: it was written by a newer version", handoff.ErrInvalid, r.Step)
}
