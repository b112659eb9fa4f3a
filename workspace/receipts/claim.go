package receipts

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"handoff/internal/file/lockfile"
	"handoff/log/receipt"
	"handoff/workspace/documents"
	"handoff/workspace/outbox"
)

// Claim claims a handoff: see [receipt.Moment.Claim]. Without an ID the request gets
// a new one. A document that must not be delivered is refused with a [handoff.UndeliverableError].
// Work that has no document is claimed in the same way: see [receipt.Work].
func (b *Book) Claim(ctx context.Context, t Target, r receipt.ClaimRequest) (Record, error) {
	t.As = r.By
	f, err := b.find(ctx, t)
	if err != nil {
		return Record{}, err
	}
	if !f.isWork() {
		if refused := f.doc.Undeliverable(f.Path); refused != nil {
			return Record{}, refused
		}
	}
	if again, ok, err := b.again(ctx, t, f, r); ok || err != nil {
		return again, err
	}
	if r.ID == nil {
		r.ID = b.ws.NewID
	}
	own := b.owns(t, r)
	r.Own = own
	if other, err := b.excluded(ctx, f, own); err != nil || other != nil && !r.Force {
		return Record{}, b.explain(cmp.Or[error](err, other), t, f)
	}
	reopens, err := b.reopens(ctx, f, r.Force)
	if err != nil {
		return Record{}, err
	}
	var unremembered error
	if !t.Alone {
		r.ID = b.remember(t.Who, f.name, r.By, r.ID, &unremembered)
	}
	var l receipt.Life
	if err = b.settle(ctx, f.name); err == nil {
		l, err = b.store.Record(lockfile.NotStopped(ctx), f.name, f.at(b.ws.Now()).Claim(r))
	}
	if outbox.Away(err) {
		err = fmt.Errorf("%w (a claim cannot be queued, because only the store knows who wins: try again when `handoff store check` reaches it)", err)
	}
	if err != nil {
		return Record{}, b.explain(err, t, f)
	}
	if err := b.settleTask(ctx, f, l, r, own); err != nil {
		b.forget(t.Who, f.name, l.Claim.ID)
		return Record{}, b.explain(err, t, f)
	}
	b.sayClock(&l)
	b.tidy(t.Who, f.name, l.Claim.ID)
	record := b.recordOf(f, &l)
	record.Forgotten = unremembered
	if reopens {
		record.Unlinked = b.relinkOf(ctx, f)
	}
	return record, nil
}

// reopens reports whether a claim reopens a handoff that the metadata of its task shows as done.
// That needs force, also if it was finished in another clone, whose receipts are not here.
func (b *Book) reopens(ctx context.Context, f found, force bool) (bool, error) {
	if at, ok := documents.DoneElsewhere(ctx, b.ws, f.Entry); ok && !force {
		return false, doneElsewhere(f, at)
	}
	if !force || !documents.ShowsDone(ctx, b.ws, f.Entry) {
		return false, nil
	}
	return true, b.owe(f)
}

// again returns the claim of a caller that claims what it holds, for as long as it asks for at
// least: a call that is repeated because its answer was lost has no other effect. ok is false if
// the caller does not hold the handoff, or wants a new claim by force.
func (b *Book) again(ctx context.Context, t Target, f found, r receipt.ClaimRequest) (record Record, ok bool, err error) {
	claim, err := b.claimOf(ctx, t, f)
	if claim == "" || err != nil || r.Force || t.Alone {
		return record, false, nil // a claim of another handoff, or a stale one, does not prevent a new one
	}
	l, err := b.store.Life(f.name)
	if err != nil || l.State(b.ws.Now()) != receipt.Claimed || l.Claim.ID != claim || l.Claim.By != r.By {
		return record, false, err
	}
	if b.ws.Now().Add(r.TTL).After(l.Claim.Until) {
		record, err = b.step(ctx, f, outbox.Request{Step: outbox.Renew, Claim: claim, TTL: int64(r.TTL)})
		return record, true, err
	}
	return b.recordOf(f, &l), true, nil
}

// slowClock is how far behind a clock may be before a lease is too short without a word.
const slowClock = time.Minute

// sayClock reports that the clock of this machine is far behind that of another one, which
// took an earlier step: the lease that was just made ends early, or has ended already.
func (b *Book) sayClock(l *receipt.Life) {
	var last time.Time
	for _, s := range l.Recorded() {
		if s.At.After(last) {
			last = s.At
		}
	}
	if behind := last.Sub(b.ws.Now()); behind > slowClock {
		b.ws.SayOnce(fmt.Sprintf("the clock of this machine is %s behind that of an earlier step (%s): set it, or the lease ends that much earlier for the others",
			behind.Round(time.Second), last.UTC().Format(time.RFC3339)))
	}
}

// doneElsewhere is the error for a handoff that is done by the metadata of its task.
func doneElsewhere(f found, at time.Time) error {
	return &receipt.FinishedError{Path: f.name, State: receipt.Done, Step: receipt.Step{At: at, By: "the metadata of its task"}}
}

// Fence returns an error unless a claim may write now. Callers ask it before they write.
// The store answers, whatever is noted about it, and knows what was queued: a copy may lack
// the claim that has replaced this one. The error is a [receipt.UnsureError] if the store
// does not answer.
func (b *Book) Fence(ctx context.Context, claim string) error {
	name, l, err := b.store.Claimed(b.box.Hurry(ctx), claim)
	if err == nil {
		err = l.Check(name, claim) // what the copy forbids, the store does, because it only has more steps
	}
	if err != nil {
		return err
	}
	if err := b.settle(ctx, name); err != nil {
		return &receipt.UnsureError{Claim: claim, Why: err}
	}
	err = b.box.Ask(func() (err error) {
		name, l, err = b.store.Current(b.box.Hurry(ctx), claim)
		return err
	})
	if err != nil {
		return err
	}
	return l.Check(name, claim)
}
