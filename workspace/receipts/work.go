package receipts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"handoff/document/handoff"
	"handoff/log/receipt"
	"handoff/workspace/documents"
	"handoff/workspace/outbox"
)

// findWork finds the work of a target, if that names some, or if its claim is of some: an issue, a
// task or paths, which have no document. ok is false for a handoff.
func (b *Book) findWork(t Target) (f found, ok bool, err error) {
	w, ok, err := receipt.ParseWork(t.Ref)
	if !ok || err != nil {
		return f, ok, err
	}
	f.Path = w.String()
	if f.name, err = b.store.Place().Work(w); err == nil && t.Claim == "" {
		f.claim = b.claimOn(t, f.name)
	}
	return f, true, err
}

// isWork reports whether it is no handoff, but work that was claimed without one.
func (f found) isWork() bool { return receipt.IsWork(f.name) }

// taskOf is the task that a claim is about; ok is false for an issue, paths, and a handoff of no
// task. of is the path of the handoff in the workspace.
func (b *Book) taskOf(name, of string) (task int, ok bool) {
	if receipt.IsWork(name) {
		w, _ := b.store.Place().WorkOf(name)
		task, err := strconv.Atoi(w.ID)
		return task, w.Kind == receipt.WorkTask && err == nil
	}
	n := b.ws.NameOf(of)
	return n.Task, n.Width > 0
}

// owns returns whether a claim is the caller's: the one that a target passes, those of its session,
// and those that are found for it under the same name. Such claims do not exclude each other.
func (b *Book) owns(t Target, r receipt.ClaimRequest) func(l *receipt.Life) bool {
	list := b.mine(t.Who, "")
	return func(l *receipt.Life) bool {
		held := func(m mine) bool { return !m.lost && m.claim == l.Claim.ID && l.Claim.By == r.By }
		return l.Claim.ID == t.Claim && t.Claim != "" || slices.ContainsFunc(list, held) || r.Session.ID != "" && l.ClaimedIn(r.Session)
	}
}

// rivals are the claims, by name, that exclude one of the same task: of task:7 all claims of its
// handoffs, and of such a handoff that of task:7. They have other logs, so no lock decides on
// both: see [Book.settleTask].
func (b *Book) rivals(ctx context.Context, f found) (lives []receipt.Life, err error) {
	task, ok := b.taskOf(f.name, f.Path)
	if !ok {
		return nil, nil
	}
	if !f.isWork() {
		name, err := b.store.Place().Work(receipt.Work{Kind: receipt.WorkTask, ID: strconv.Itoa(task)})
		if err != nil {
			return nil, err
		}
		l, err := b.store.Life(name)
		return []receipt.Life{l}, err
	}
	for l, bad := range b.store.Changed(receipt.Seen{}) {
		if bad != nil {
			continue // a damaged one is reported where it is used
		}
		path, here := b.store.Place().InWorkspace(l.Name())
		if of, ok := b.taskOf(l.Name(), path); here && ok && of == task && !receipt.IsWork(l.Name()) {
			lives = append(lives, l)
		}
	}
	return lives, ctx.Err()
}

// excluded returns the claim of somebody else that excludes one on f; nil if there is none.
func (b *Book) excluded(ctx context.Context, f found, own func(*receipt.Life) bool) (*receipt.HeldError, error) {
	lives, err := b.rivals(ctx, f)
	for _, l := range lives {
		if now := b.ws.Now(); l.State(now) == receipt.Claimed && !own(&l) {
			return &receipt.HeldError{Path: f.name, Holder: l.Claim, At: now, By: l.Name()}, err
		}
	}
	return nil, err
}

// FreeTask returns an error if the claim of a task as a whole is not free, and is another one than a caller's: a
// [receipt.HeldError], or a [receipt.FinishedError] if it was finished for good.
func (b *Book) FreeTask(ctx context.Context, task int, claim string) error {
	f, _, err := b.findWork(Target{Ref: receipt.Task(task)})
	if err == nil {
		err = b.store.Refresh(ctx, f.name)
	}
	if err != nil {
		return err
	}
	l, err := b.store.Life(f.name)
	if err != nil || l.Claim.ID == claim && claim != "" {
		return err
	}
	switch now := b.ws.Now(); l.State(now) {
	case receipt.Claimed:
		err = &receipt.HeldError{Path: f.name, Holder: l.Claim, At: now}
	case receipt.Done:
		err = &receipt.FinishedError{Path: f.name, State: receipt.Done, Step: *l.Last()}
	}
	return b.explain(err, Target{}, f)
}

// yieldAfter is how long the claim of a handoff waits for one of its task that was made in the same
// moment, which gives way.
const yieldAfter = 2 * time.Second

// settleTask decides after a claim of a task or of one of its handoffs was recorded whether it
// remains. Both sides record first and look at the other one then, so at least one of two sees the
// other; and the task gives way at once, so one of them remains. By force, or after its lease, the
// other claim is released. A process that is killed before it gives way leaves a claim that
// nothing uses, until its lease ends.
func (b *Book) settleTask(ctx context.Context, f found, l receipt.Life, r receipt.ClaimRequest, own func(*receipt.Life) bool) error {
	if _, ok := b.taskOf(f.name, f.Path); !ok {
		return nil
	}
	for end := time.Now().Add(yieldAfter); ; {
		held, err := b.clearTask(ctx, f, r, own)
		if held == nil && err == nil {
			return nil
		}
		if err != nil || f.isWork() || time.Now().After(end) || ctx.Err() != nil {
			return b.withdraw(ctx, f, l, held, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(yieldAfter / 20):
		}
	}
}

// clearTask releases what may be released of the other claims of a task, and returns one that
// remains.
func (b *Book) clearTask(ctx context.Context, f found, r receipt.ClaimRequest, own func(*receipt.Life) bool) (*receipt.HeldError, error) {
	if err := b.refreshTask(ctx, f); err != nil {
		return nil, err
	}
	lives, err := b.rivals(ctx, f)
	for _, l := range lives {
		state := l.State(b.ws.Now())
		if state != receipt.Claimed && state != receipt.Expired || own(&l) {
			continue
		}
		now, bad := b.store.Record(ctx, l.Name(), receipt.Moment{Now: b.ws.Now()}.Displace(l.Claim.ID, r.By, r.Force, r.Why))
		if bad != nil {
			return nil, bad
		}
		if now.State(b.ws.Now()) == receipt.Claimed {
			return &receipt.HeldError{Path: f.name, Holder: now.Claim, At: b.ws.Now(), By: l.Name()}, nil
		}
	}
	return nil, err
}

// refreshTask asks the store for the other claims of a task, of which the copy may lack some.
func (b *Book) refreshTask(ctx context.Context, f found) error {
	if f.isWork() {
		return b.ws.CatchUp(ctx)
	}
	task, _ := b.taskOf(f.name, f.Path)
	name, err := b.store.Place().Work(receipt.Work{Kind: receipt.WorkTask, ID: strconv.Itoa(task)})
	if err != nil {
		return err
	}
	return b.store.Refresh(ctx, name)
}

// withdraw gives a claim back that another one excludes, or of which that cannot be known.
func (b *Book) withdraw(ctx context.Context, f found, l receipt.Life, held *receipt.HeldError, why error) error {
	reason := "the store does not answer"
	if held != nil {
		why, reason = held, Reason(held.Error())
	}
	_, err := b.step(context.WithoutCancel(ctx), f, outbox.Request{Step: outbox.Release, Claim: l.Claim.ID, Why: reason})
	if errors.Is(err, receipt.ErrRefused) { // it was taken over meanwhile
		err = nil
	}
	return errors.Join(why, err)
}

// noDocument refuses what only a handoff has.
func (f found) noDocument(what string) error {
	return fmt.Errorf("%w: %s has no document: %s is for handoffs", handoff.ErrInvalid, f.Path, what)
}

// entryOf is the entry of what was found by a claim alone.
func (b *Book) entryOf(name, path string) documents.Entry {
	if receipt.IsWork(name) {
		return documents.Entry{Path: path}
	}
	return documents.EntryAt(b.ws, path)
}
