package receipts

import (
	"cmp"
	"context"
	"fmt"

	"handoff/document/handoff"
	"handoff/log/receipt"
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

// Replacing is the path of the handoff of a target that a new one of a task and a phase replaces, for
// [create.Request.Replace]. It sets the task and the phase that are 0. The path is set also with the error that
// another handoff, or a claim, refuses it: a request that is repeated has done so itself.
func (b *Book) Replacing(ctx context.Context, t Target, of *int, phase *int) (path string, err error) {
	old, err := b.Replaceable(ctx, t)
	switch {
	case old.Path == "":
		return "", err
	case old.Name.Width == 0 && old.Name.Layout != "": // of no task: the new one may have any
		return old.Path, err
	case *of != 0 && *of != old.Name.Task:
		return "", cmp.Or(err, fmt.Errorf("%w: %s to replace is a handoff of task %d, not %d", handoff.ErrInvalid, t.Ref, old.Name.Task, *of))
	}
	*of = old.Name.Task
	if *phase == 0 {
		*phase = max(old.Name.Phase, 0)
	}
	return old.Path, err
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
