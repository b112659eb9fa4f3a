package receipts

import (
	"context"
	"time"

	"handoff/log/receipt"
	"handoff/workspace/owed"
)

// Standing returns what the holder of a claim owes if it cannot finish its work. If the receipts cannot be read
// it owes a handoff: one too many is better than none.
func (b *Book) Standing(ctx context.Context, t Target) owed.Standing {
	r, life, err := b.Life(ctx, t)
	if err != nil {
		return owed.Owing
	}
	return owed.Of(owed.Facts{State: r.State, Lost: life.Claim.ID != t.Claim, Written: r.State == receipt.Superseded, Low: true})
}

// StandingIn returns what a session without a known claim owes when its context runs low. Its work is done if it
// has finished a handoff since a time, and none that it got is unfinished.
func (b *Book) StandingIn(ctx context.Context, s receipt.Session, since time.Time) (owed.Standing, error) {
	f := owed.Facts{Low: true}
	if s.ID == "" || !b.finishedIn(s, since) {
		return owed.Of(f), nil
	}
	items, err := b.Of(ctx, s)
	if len(items) == 0 && err == nil {
		f.State = receipt.Done
	}
	return owed.Of(f), err
}

// finishedIn reports whether a session has finished a handoff since a time.
func (b *Book) finishedIn(s receipt.Session, since time.Time) bool {
	now := b.ws.Now()
	for life, err := range b.store.Changed(receipt.Seen{}) {
		if err != nil {
			continue // a damaged one is reported where it is used
		}
		mine := life.ClaimedIn(s) || life.DeliveredTo(s) != nil
		if mine && life.State(now) == receipt.Done && life.Since(now).After(since) {
			return true
		}
	}
	return false
}
