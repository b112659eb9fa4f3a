package delivery

import (
	"context"
	"time"

	"handoff/workspace/receipts"
)

// rest is how long the work of a session counts as done, if no variable names its claim. A session
// that is still used after that works on something else, and its context runs low all the same.
const rest = 30 * time.Minute

// Owes reports whether a session whose context runs low is asked for a handoff: not if its work is
// done, if another session has it, or if a relay asks it.
func (d *Desk) Owes(ctx context.Context) (bool, error) {
	if d.Relay {
		return false, nil
	}
	if d.Claim != "" {
		s := d.book.Standing(ctx, receipts.Target{Dir: d.ws.Root, Claim: d.Claim})
		return !s.Finished() && !s.Lost(), nil // one that it has handed over may be followed by more work: the gauge knows
	}
	s, err := d.book.StandingIn(ctx, d.Session, d.ws.Now().Add(-rest))
	return !s.Finished(), err
}
