package receipts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/log/receipt"
	"handoff/workspace/current"
)

// mine is a claim that the caller made and that has not ended.
type mine struct {
	entry current.Entry
	path  string // of the handoff, in the workspace
	claim string // its id
	lost  bool   // another claim has replaced it: it is stale
}

// standing of a claim that is remembered.
type standing int

const (
	unknown standing = iota // it was not recorded, or not yet
	holds
	expired // its lease has ended, and it was made outside of all sessions
	lost
	ended
)

// standingOf returns what became of a claim that is remembered, and its id. A claim that was made
// in a terminal is good for the length of its lease: what runs there tomorrow may be something
// else. A session is the same one as long as it exists, so it may still renew.
func standingOf(e current.Entry, l *receipt.Life, now time.Time) (s standing, id string) {
	var until time.Time
	over, by, displaced := false, "", false
	for _, step := range l.Steps {
		switch {
		case step.Kind == receipt.StepClaimed && e.Claim(step.Claim):
			id, until, by = step.Claim, step.Until, step.By
		case id == "" || step.Claim != id:
		case step.Kind == receipt.StepRenewed:
			until = step.Until
		case step.Kind == receipt.StepReleased && step.By != by && step.By != receipt.ByNew: // another claim excludes it: see [receipt.Moment.Displace]
			displaced = true
		case step.Kind == receipt.StepReleased, step.Kind == receipt.StepDone, step.Kind == receipt.StepSuperseded:
			over = true
		}
	}
	late := len(e.Sessions) == 0 && !now.Before(until)
	switch replaced := l.Claim.ID != id || displaced; {
	case id == "":
		return unknown, ""
	case over, replaced && late:
		return ended, id
	case replaced:
		return lost, id
	case late:
		return expired, id
	}
	return holds, id
}

// mine returns the claims of a caller, without one that it passes. name limits them to
// a handoff, by its name in the receipts; "" for those of this workspace.
func (b *Book) mine(who current.Caller, name string) (list []mine) {
	if !who.Known() {
		return nil
	}
	for _, e := range b.current.All() {
		path, here := b.store.Place().InWorkspace(e.Handoff)
		if !who.Made(e) || !here || name != "" && e.Handoff != name {
			continue
		}
		l, err := b.store.Life(e.Handoff)
		if err != nil {
			continue // the command that needs this handoff reports it
		}
		if s, id := standingOf(e, &l, b.ws.Now()); s == holds || s == lost {
			list = append(list, mine{e, path, id, s == lost})
		}
	}
	return list
}

// ClaimOn returns the claim of a target's caller on the handoff, "" for none.
func (b *Book) ClaimOn(ctx context.Context, t Target) (string, error) {
	f, err := b.find(ctx, t)
	if err != nil {
		return "", err
	}
	return b.claimOf(ctx, t, f)
}

// claimOn returns the claim of a target's caller on a handoff, "" for none. A name that the
// target passes must be that of the holder.
func (b *Book) claimOn(t Target, name string) string {
	l, err := b.store.Life(name)
	if err != nil || t.As != "" && l.Claim.By != t.As {
		return ""
	}
	list := b.mine(t.Who, name)
	slices.SortStableFunc(list, func(x, y mine) int { return rank(x) - rank(y) })
	if len(list) > 0 {
		return list[0].claim
	}
	// Not remembered here: it was claimed over MCP, or the process was killed.
	if s, ok := t.Who.Session(); ok && l.ClaimedIn(s) {
		return l.Claim.ID
	}
	return ""
}

// ClaimOfTask returns the claim of a caller on a handoff of a task, or on the task as a whole; "" for none or several.
func (b *Book) ClaimOfTask(who current.Caller, task int) string {
	if who.Claim != "" {
		return who.Claim
	}
	list := slices.DeleteFunc(b.mine(who, ""), func(m mine) bool {
		of, ok := b.taskOf(m.entry.Handoff, m.path)
		return m.lost || !ok || of != task
	})
	if documents := slices.DeleteFunc(slices.Clone(list), func(m mine) bool { return receipt.IsWork(m.entry.Handoff) }); len(documents) > 0 {
		list = documents
	}
	if len(list) != 1 {
		return ""
	}
	return list[0].claim
}

// rank sorts a claim that holds before one that is stale.
func rank(m mine) int {
	if m.lost {
		return 1
	}
	return 0
}

// only returns the one claim of a target's caller, "" if it has none. The error for several
// lists them.
func (b *Book) only(t Target) (claim string, err error) {
	if t.Claim != "" {
		return t.Claim, nil
	}
	list := slices.DeleteFunc(b.mine(t.Who, ""), func(m mine) bool {
		return t.As != "" && m.entry.By != t.As || t.reads && receipt.IsWork(m.entry.Handoff)
	})
	if held := slices.DeleteFunc(slices.Clone(list), func(m mine) bool { return m.lost }); len(held) > 0 {
		list = held
	}
	switch len(list) {
	case 0:
		return "", nil
	case 1:
		return list[0].claim, nil
	}
	var refs []string
	for _, m := range list {
		refs = append(refs, called(b.entryOf(m.entry.Handoff, m.path)))
	}
	slices.Sort(refs)
	return "", fmt.Errorf("%w: which handoff? You hold %d here: %s", handoff.ErrInvalid, len(refs), strings.Join(refs, ", "))
}

// Claimed is the handoff of the one claim that a caller has. ok is false if it has none.
func (b *Book) Claimed(ctx context.Context, t Target) (path string, ok bool, err error) {
	t.Ref, t.reads = "", true
	if t.Claim, err = b.only(t); t.Claim == "" || err != nil {
		return "", false, err
	}
	f, err := b.find(ctx, t)
	if f.isWork() { // a claim that the caller passes
		return "", false, err
	}
	return f.Path, err == nil, err
}

// remember makes the id of a claim known to later calls of its caller before the claim is
// recorded. So a process that is killed in between leaves at most an entry without a claim.
func (b *Book) remember(who current.Caller, name, by string, newID func() string, failed *error) func() string {
	if !who.Known() {
		return newID
	}
	return func() string {
		id := newID()
		*failed = b.current.Add(who.Of(name, id, by, b.ws.Now()))
		return id
	}
}

// forget removes what is remembered of a claim of the caller that has ended.
func (b *Book) forget(who current.Caller, name, claim string) {
	for _, e := range b.current.All() {
		if e.Handoff == name && e.Claim(claim) && who.Made(e) {
			b.current.Remove(e)
		}
	}
}

// tidy removes the entries of claims that have ended, and those of the caller's claims on a handoff
// that its new one replaces.
func (b *Book) tidy(who current.Caller, name, claim string) {
	old := b.ws.Now().Add(-keepLost)
	for _, e := range b.current.All() {
		l, err := b.store.Life(e.Handoff)
		if err != nil {
			continue
		}
		switch s, id := standingOf(e, &l, b.ws.Now()); {
		case s == ended, s == expired,
			s != holds && e.At.Before(old),
			e.Handoff == name && id != claim && s != unknown && who.Made(e):
			b.current.Remove(e)
		}
	}
}

// keepLost is how long a session is told that its claim was replaced, and an entry is kept whose
// claim was never recorded.
const keepLost = 7 * 24 * time.Hour

// MayWrite returns an error unless a caller may write in the workspace: see [Book.Fence]. A claim
// that it passes must hold, whatever it is for. Those that are found may be limited to one task;
// nil for all.
func (b *Book) MayWrite(ctx context.Context, who current.Caller, task *int) error {
	if who.Claim != "" {
		return b.Fence(ctx, who.Claim)
	}
	for _, m := range b.mine(who, "") {
		of, ok := b.ws.NameOf(m.path).Task, true
		if receipt.IsWork(m.entry.Handoff) {
			of, ok = b.taskOf(m.entry.Handoff, m.path)
		}
		if task == nil || ok && *task == of {
			if err := b.Fence(ctx, m.claim); err != nil {
				return err
			}
		}
	}
	return nil
}

// Continue records that a caller wrote the next handoff of a task, at a path below the
// workspace: what it holds of that task is superseded. It returns the paths of that. replaced is the path of
// the handoff that the caller says it replaces, which it need not be shown to hold: see [Book.assumes].
func (b *Book) Continue(ctx context.Context, who current.Caller, next, replaced string) (did []string, err error) {
	if who.Claim != "" {
		path, err := b.supersede(ctx, who.Claim, next)
		return slices.DeleteFunc([]string{path}, func(p string) bool { return p == "" }), err
	}
	for _, m := range b.mine(who, "") {
		if !m.lost && (m.path == replaced || b.assumes(who, b.store.Place().Path(m.path), next)) {
			path, bad := b.supersede(ctx, m.claim, next)
			if err = errors.Join(err, bad); path != "" {
				did = append(did, path)
			}
		}
	}
	b.tidy(who, "", "")
	return did, err
}
