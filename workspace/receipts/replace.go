package receipts

import (
	"context"
	"fmt"

	"handoff"
	"handoff/receipt"
	"handoff/workspace/documents"
	"handoff/workspace/outbox"
)

// Replaceable is the handoff of a target that another one is about to replace. It is refused if
// somebody else holds or has finished it; the holder of the target's claim may replace it.
func (b *Book) Replaceable(ctx context.Context, t Target) (documents.Entry, error) {
	f, err := b.find(ctx, t)
	if err != nil {
		return f.Entry, err
	}
	claim, err := b.claimOf(ctx, t, f)
	if err != nil {
		return f.Entry, err
	}
	life, err := b.store.Life(f.name)
	if err != nil {
		return f.Entry, err
	}
	if claim != "" {
		return f.Entry, life.Check(f.name, claim)
	}
	if at, ok := documents.DoneElsewhere(ctx, b.ws, f.Entry); ok {
		return f.Entry, doneElsewhere(f, at)
	}
	_, err = receipt.Moment{Now: b.ws.Now()}.Replace("somebody", f.name)(f.name, &life)
	return f.Entry, err
}

// Replace records that a handoff was written instead of another one of the same task, both by
// their paths below the workspace. The holder of a claim supersedes its handoff instead.
func (b *Book) Replace(ctx context.Context, old, next, by string) error {
	f, err := b.find(ctx, Target{Dir: b.ws.Root, Ref: old})
	if err != nil || next == f.Path { // a layout in which the new document has the path of the last one
		return err
	}
	e := documents.EntryAt(b.ws, next)
	if e.Name.Dir != f.Name.Dir || e.Name.Chain != f.Name.Chain {
		return fmt.Errorf("%w: %s and %s are handoffs of different tasks", handoff.ErrInvalid, f.Path, next)
	}
	_, err = b.step(ctx, f, outbox.Request{Step: outbox.Supersede, By: by, Next: b.store.Place().Path(next)})
	return err
}
