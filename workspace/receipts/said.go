package receipts

import (
	"context"
	"errors"
	"fmt"

	"handoff/document/handoff"
	"handoff/workspace/relay/word"
)

// sayDone tells the relay of an agent that the work is done, instead of recording it: the relay
// finds out whether that is so, and records it then. An agent that has no handoff says so, too.
// said is false if no relay runs the caller, or if the handoff is not the one that it works on:
// that of its claim, or none. An agent without one may have the claim of the task as a whole.
func (b *Book) sayDone(ctx context.Context, t Target, by string) (r Record, said bool, err error) {
	if t.Who.Relay == "" || by != "" {
		return r, false, nil
	}
	book, ok := word.To(b.ws, t.Who.Relay)
	if !ok {
		return r, false, nil
	}
	path, r, err := b.worksOn(ctx, t)
	if err != nil || path == "" && (t.Ref != "" || t.Claim != "") && !b.isTask(ctx, t) {
		return r, false, err
	}
	if err := book.SayDone(ctx, path, b.ws.Now()); err != nil {
		return r, false, fmt.Errorf("the relay could not be told: %w", err)
	}
	r.Said = true
	return r, true, nil
}

// isTask reports whether a target is the task as a whole that the passed claim is on.
func (b *Book) isTask(ctx context.Context, t Target) bool {
	f, err := b.find(ctx, Target{Dir: t.Dir, Claim: t.Claim})
	if err != nil || t.Claim == "" || !f.isWork() || t.Ref != "" && t.Ref != f.Path {
		return false
	}
	_, ok := b.taskOf(f.name, f.Path)
	return ok
}

// worksOn returns the handoff of a target that the caller holds; "" if it holds none.
func (b *Book) worksOn(ctx context.Context, t Target) (path string, r Record, err error) {
	f, err := b.find(ctx, t)
	if errors.Is(err, handoff.ErrInvalid) && t.Ref == "" && t.Claim == "" {
		return "", r, nil // nothing is claimed: it began with an objective
	}
	if err != nil {
		return "", r, err
	}
	claim, err := b.claimOf(ctx, t, f)
	if err != nil || claim == "" || f.isWork() { // the relay is about a handoff
		return "", r, err
	}
	l, err := b.store.Life(f.name)
	if err != nil || l.Check(f.name, claim) != nil || l.Finished() {
		return "", r, err // one that was replaced is refused where it is recorded
	}
	return f.Path, b.recordOf(f, &l), nil
}
