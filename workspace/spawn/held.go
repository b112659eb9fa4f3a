package spawn

import (
	"context"
	"errors"
	"strings"
	"time"

	"handoff/agents"
	"handoff/log/receipt"
	"handoff/workspace/receipts"
)

// held is the claim of a running agent.
type held struct {
	book   *receipts.Book
	target receipts.Target
	ttl    time.Duration
	level  agents.Level // of the agent
	lost   error        // why the claim is no longer valid; read it once renewing has stopped
}

// take renews the claim of the caller if that holds the target, and claims it otherwise. A claim that this job made before it was interrupted counts,
// even if its work has been finished since.
func (h *held) take(ctx context.Context, by, claim string, before Before) error {
	ask := receipt.ClaimRequest{By: by, TTL: h.ttl, Level: h.level.OfClaim()}
	if before.ClaimID != "" {
		ask.ID = func() string { return before.ClaimID }
		_, life, err := h.book.Life(ctx, h.target)
		if err != nil {
			return err
		}
		if strings.HasSuffix(life.Claim.ID, "."+before.ClaimID) {
			claim = life.Claim.ID
		}
	}
	if claim != "" {
		mine, _, err := h.book.Life(ctx, receipts.Target{Dir: h.target.Dir, Claim: claim})
		if err == nil && mine.Path == h.target.Ref {
			h.target.Claim = claim
			_, err = h.book.Renew(ctx, h.target, h.ttl)
			if _, finished := errors.AsType[*receipt.FinishedError](err); finished && before.ClaimID != "" {
				return nil
			}
			if !errors.Is(err, receipt.ErrRefused) {
				return err
			}
		}
	}
	r, err := h.book.Claim(ctx, h.target, ask)
	h.target.Claim = r.Claim
	return err
}

// renew renews the lease until it is stopped. The returned context ends when
// another claim has replaced this one: two agents must not do the same work.
func (h *held) renew(ctx context.Context) (renewing context.Context, stop func()) {
	renewing, end := h.book.Hold(ctx, h.target, h.ttl)
	return renewing, func() {
		if stale, lost := errors.AsType[*receipt.StaleError](context.Cause(renewing)); lost {
			h.lost = stale
		}
		end()
	}
}

// settle records the end: the claim of work that is not finished is released
// with the reason. The state of the handoff is part of the outcome.
func (h *held) settle(ctx context.Context, out *Outcome, why string) error {
	r, _, err := h.book.Life(ctx, h.target)
	if err != nil {
		return err
	}
	if out.State = r.State; out.Finished() || r.Ends() {
		return nil
	}
	switch out.Why = why; {
	case h.lost != nil:
		out.Why = h.lost.Error()
		return nil
	case out.State == receipt.Released:
		out.Why = r.By + " gave it back"
		return nil
	}
	r, err = h.book.Release(ctx, h.target, why)
	if errors.Is(err, receipt.ErrRefused) { // the agent gave it back itself, or the claim was replaced
		out.Why += "; " + err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	out.State = r.State
	if r.Unlinked != nil {
		out.Unlinked = r.Unlinked.Error()
	}
	return nil
}

// extend renews the lease before a further turn. A handoff that is finished needs
// none; a claim that another one has replaced is an error.
func (h *held) extend(ctx context.Context, further bool) error {
	if !further {
		return nil
	}
	_, err := h.book.Renew(ctx, h.target, h.ttl)
	if _, finished := errors.AsType[*receipt.FinishedError](err); finished {
		return nil
	}
	return err
}

// Hold renews the lease between two turns, until it is stopped. The returned context ends when another
// claim has replaced this one.
func (w *Work) Hold(ctx context.Context) (holding context.Context, stop func()) {
	if w.held == nil {
		return ctx, func() {}
	}
	return w.held.renew(ctx)
}
