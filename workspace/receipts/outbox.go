package receipts

import (
	"context"
	"errors"
	"slices"

	"handoff/document/handoff"
	"handoff/internal/file/lockfile"
	"handoff/log/receipt"
	"handoff/workspace/outbox"
)

// Queued reports a step that is not recorded yet: the store could not be reached, and
// the request waits in the outbox.
type Queued struct {
	Step    outbox.Step // the requested step
	Waiting int         // requests in the outbox
	Why     error       // why the store could not be asked
}

// waits are the steps in the outbox, by handoff.
func (b *Book) waits(name string) []outbox.Request {
	if b.queued == nil {
		b.queued = map[string][]outbox.Request{}
		all, _ := b.box.Requests() // a damaged one is reported by who drains
		for _, r := range all {
			if r.Handoff != "" {
				b.queued[r.Handoff] = append(b.queued[r.Handoff], r)
			}
		}
	}
	return b.queued[name]
}

// Send records a request of the outbox, if it is a step on a handoff. If the metadata
// cannot be updated after a release or the end, the next sync does it. The refusal of a delivery
// is not reported, because it only means that the handoff was taken up meanwhile.
func (b *Book) Send(ctx context.Context, r outbox.Request) error {
	decide, err := r.Decision()
	if err == nil {
		_, err = b.store.Record(ctx, r.Handoff, decide)
	}
	if delivers(r.Step) && errors.Is(err, receipt.ErrRefused) {
		return nil
	}
	if path, ok := b.store.Place().InWorkspace(r.Handoff); err == nil && ok && !receipt.IsWork(r.Handoff) && (r.Step == outbox.Release || r.Step == outbox.Done) {
		_ = b.relink(ctx, handoff.ParseName(path).Dir)
	}
	return err
}

// settle sends what waits for a handoff, before what is decided by its receipts.
func (b *Book) settle(ctx context.Context, name string) error {
	refused := func(r outbox.Refused) { b.ws.SayOnce(r.Text()) }
	send := func(r outbox.Request) error { return b.Send(b.box.Hurry(ctx), r) }
	err := b.box.Settle(ctx, outbox.Sender{Send: send, Refused: refused, Now: b.ws.Now}, outbox.HandoffLog(name))
	b.queued = nil // it may have changed
	return err
}

func delivers(s outbox.Step) bool {
	return slices.Contains([]outbox.Step{outbox.Deliver, outbox.DeliverOnce, outbox.DeliverAgain, outbox.GiveBack}, s)
}

// step records a request, or queues it.
func (b *Book) step(ctx context.Context, f found, r outbox.Request) (Record, error) {
	r.At, r.Handoff, r.SHA256 = b.ws.Now().UTC(), f.name, f.sha256
	decide, err := r.Decision()
	if err != nil {
		return Record{}, err
	}
	var l receipt.Life
	queued, err := b.box.Do(ctx, r, func() (err error) {
		// The store forbids everything that the copy forbids, because it only has more
		// steps. What waits counts, too: it is sent first.
		var steps []receipt.Step
		if l, err = b.store.Life(f.name); err == nil {
			steps, err = decide(f.name, &l)
		}
		l.Queue(f.name, steps)
		return err
	}, func(ctx context.Context) (err error) {
		l, err = b.store.Record(lockfile.NotStopped(ctx), f.name, decide)
		return err
	})
	if err != nil {
		return Record{}, err
	}
	b.queued = nil // it may have changed
	if r.Step == outbox.Renew {
		b.sayClock(&l)
	}
	record := b.recordOf(f, &l)
	if queued != nil {
		record.Freshness = FreshnessOf(b.ws)
		record.NotRecorded = &Queued{r.Step, queued.Waiting, queued.Why}
	}
	return record, nil
}
