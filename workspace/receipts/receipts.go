// Package receipts offers the operations of a successor on a handoff: claim it,
// acknowledge it, renew or release the claim, finish it, and find the next one.
// The command and other surfaces share them. Package receipt decides what is
// allowed; this package finds documents, and keeps the metadata up to date.
package receipts

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/current"
	"handoff/workspace/documents"
	"handoff/workspace/outbox"
)

// Book is the receipts of a workspace.
type Book struct {
	ws      *workspace.Workspace
	store   *receipt.Store
	box     *outbox.Box
	current current.Book

	queued map[string][]outbox.Request // what waits, by handoff; nil if it is not read yet
}

// Open returns the receipts of a workspace, which provides time and ids. The
// error is for a repository without a safe place for them: see [receipt.Locate].
func Open(ws *workspace.Workspace) (*Book, error) {
	store, err := ws.Receipts()
	if err != nil {
		return nil, err
	}
	box, err := ws.Outbox()
	return &Book{ws: ws, store: store, box: box, current: current.Open(store.Place())}, err
}

// Caller is who asks: see [current.Caller].
type Caller = current.Caller

// Target is the handoff that an operation is about.
type Target struct {
	Dir   string // where relative paths start
	Ref   string // a path, 259/3, 259 or latest; "" for the handoff of the claim
	Claim string // that the caller passes, as in HANDOFF_CLAIM; "" to find that of Who
	As    string // name that the holder of a claim of Who must have; "" for any

	Who current.Caller // the zero value if that is not known

	// Alone is for a claim that is given to a command: that the caller holds the same already does not
	// count, because two commands may have one caller, and no later command of the caller finds it.
	Alone bool

	reads bool // of the claims of Who, only those of handoffs count
}

// Record is what became of a handoff. Its keys are the JSON of all commands.
type Record struct {
	Ref          string        `json:"ref"`
	Path         string        `json:"path" doc:"path of the handoff; of an issue, a task or paths what was claimed, as ref"`
	State        receipt.State `json:"state"`
	Since        time.Time     `json:"since,omitzero"`
	By           string        `json:"by,omitempty"`
	Claim        string        `json:"claim,omitempty"`
	Token        uint64        `json:"token,omitempty"`
	Epoch        uint64        `json:"epoch,omitempty" doc:"of the claim: grows with each claim as the token does, and also after a store was restored from a backup or created again"`
	Until        time.Time     `json:"until,omitzero"`
	Acknowledged bool          `json:"acknowledged,omitempty"`
	Queued       []outbox.Step `json:"queued,omitempty" doc:"steps that wait for the store: the other members already count them"`
	Understand   []string      `json:"understand_first,omitempty" doc:"what its author says must be understood before the work starts"`
	Freshness
	NotRecorded *Queued           `json:"-"` // the requested step, if it waits
	Existed     bool              `json:"-"` // an earlier request with the same idempotency key did it
	Evidence    *receipt.Evidence `json:"-"` // that was recorded now with the end of the work
	Said        bool              `json:"-"` // that the work is done was said to the relay of the agent, which finds out whether it is
	Doubt       string            `json:"-"` // why another handoff of the task may be newer
	Unlinked    error             `json:"-"` // why the metadata of the task is not up to date; nil if it is
	Unshared    bool              `json:"-"` // no other clone can learn of the step: the handoff has no metadata, and there is no store
	Forgotten   error             `json:"-"` // why later commands do not find the claim without its id; nil if they do
}

// Later reports whether the requested step waits for the store.
func (r Record) Later() bool { return r.NotRecorded != nil }

// Ends reports whether a step that waits for the store ends the claim.
func (r Record) Ends() bool {
	return slices.ContainsFunc(r.Queued, func(s outbox.Step) bool {
		return s == outbox.Done || s == outbox.Release || s == outbox.Supersede
	})
}

func (b *Book) recordOf(f found, l *receipt.Life) Record {
	now, e := b.ws.Now(), f.Entry
	r := Record{Ref: e.Ref(), Path: e.Path, Doubt: e.Doubt, State: l.State(now), Since: l.Since(now), Acknowledged: l.Acknowledged != nil}
	if f.isWork() {
		r.Ref = e.Path
	}
	if f.doc != nil {
		r.Understand = f.doc.Said(handoff.Understand)
	}
	for _, q := range b.waits(f.name) {
		r.Queued = append(r.Queued, q.Step)
	}
	switch r.State {
	case receipt.Claimed, receipt.Expired:
		r.By, r.Claim, r.Token, r.Epoch, r.Until = l.Claim.By, l.Claim.ID, l.Claim.Token, l.Claim.Epoch, l.Claim.Until
	case receipt.Waiting:
	default:
		r.By = l.Last().By
	}
	return r
}

// found is a handoff, and its document as far as that can be read.
type found struct {
	documents.Entry
	name   string // for the store: see [receipt.Place]
	doc    *handoff.Document
	sha256 string
	claim  string // of the caller on it; "" for none
}

// find finds the handoff of a target. If only the claim names the handoff, its
// document need not exist any longer, because the holder may have archived it.
func (b *Book) find(ctx context.Context, t Target) (f found, err error) {
	if t.Ref == "" {
		if f.claim, err = b.only(t); err != nil {
			return f, err
		}
		if f.claim == "" {
			return f, cmp.Or(b.ws.Missing(), fmt.Errorf("%w: which handoff? Nothing is claimed here: give a path, 259/3 (task/phase), 259 or latest (`handoff next` lists what waits)", handoff.ErrInvalid))
		}
		name, _, err := b.store.Claimed(ctx, f.claim)
		if err != nil {
			return f, err
		}
		path, ok := b.store.Place().InWorkspace(name)
		if !ok {
			return f, fmt.Errorf("%w: HANDOFF_CLAIM is for %s, which is in another workspace of this repository", handoff.ErrInvalid, name)
		}
		if f.Entry, f.name = b.entryOf(name, path), name; f.isWork() {
			return f, nil
		}
	} else if work, is, err := b.findWork(t); is || err != nil {
		return work, err
	} else if f.Entry, err = documents.Find(ctx, b.ws, t.Dir, t.Ref); err != nil {
		return f, err
	}
	if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
		return f, fmt.Errorf("%w: %s is not in the workspace %s", handoff.ErrInvalid, t.Ref, b.ws.Root)
	}
	f.name = b.store.Place().Path(f.Path)
	if t.Ref != "" && t.Claim == "" {
		f.claim = b.claimOn(t, f.name)
	}
	f.doc, err = documents.Read(b.ws, f.Entry)
	if err != nil && t.Ref == "" {
		return f, nil
	}
	if err == nil {
		sum := sha256.Sum256([]byte(f.doc.Source))
		f.sha256 = hex.EncodeToString(sum[:])
		if task.IsJSON(f.Path) { // the source is what is read of it
			f.sha256, _, err = new(documents.Sums).Of(b.ws, f.Path)
		}
	}
	return f, err
}

func (f found) at(now time.Time) receipt.Moment { return receipt.Moment{Now: now, SHA256: f.sha256} }

// claimOf is the claim of a target, if it is for this handoff; a claim for
// another handoff is ignored.
func (b *Book) claimOf(ctx context.Context, t Target, f found) (claim string, err error) {
	if t.Claim == "" {
		return f.claim, nil
	}
	name, _, err := b.store.Claimed(ctx, t.Claim)
	if err != nil || name != f.name {
		return "", err
	}
	return t.Claim, nil
}

// Deliver records that a handoff is about to be shown to a successor: the
// holder of the target's claim, else the one in to. If neither is for this
// handoff it does nothing.
func (b *Book) Deliver(ctx context.Context, t Target, to string) error {
	t.As, t.reads = to, true
	f, err := b.find(ctx, t)
	if err != nil {
		return err
	}
	claim, err := b.claimOf(ctx, t, f)
	if err != nil {
		return err
	}
	if claim != "" || to != "" {
		_, err = b.step(ctx, f, outbox.Request{Step: outbox.Deliver, By: to, Claim: claim})
	}
	return err
}

// Acknowledge records that a successor has read a handoff. If it passes the
// first action, that must be the document's next action.
func (b *Book) Acknowledge(ctx context.Context, t Target, by, firstAction string) (Record, error) {
	t.As, t.reads = by, true
	f, err := b.find(ctx, t)
	if err != nil {
		return Record{}, err
	}
	if f.isWork() {
		return Record{}, f.noDocument("ack")
	}
	claim, err := b.claimOf(ctx, t, f)
	if err != nil {
		return Record{}, err
	}
	if claim == "" && by == "" && t.Who.Known() {
		if err := b.noClaim(t, f); errors.Is(err, receipt.ErrRefused) {
			return Record{}, err
		}
	}
	if firstAction != "" && !sameAction(f.doc, firstAction) {
		return Record{}, &MismatchError{f.Path}
	}
	r, err := b.step(ctx, f, outbox.Request{Step: outbox.Acknowledge, By: by, Claim: claim, Matched: firstAction != ""})
	return r, b.explain(err, t, f)
}

// held is the handoff of a target whose claim is needed.
func (b *Book) held(ctx context.Context, t Target) (f found, err error) {
	if t.Claim == "" && !t.Who.Known() {
		return f, fmt.Errorf("%w: pass the claim: it is not known who calls", handoff.ErrInvalid)
	}
	if f, err = b.find(ctx, t); err != nil {
		return f, err
	}
	if t.Claim == "" {
		if f.claim == "" {
			err = b.noClaim(t, f)
		}
		return f, err
	}
	f.claim = t.Claim
	name, _, err := b.store.Claimed(ctx, t.Claim)
	if err == nil && name != f.name {
		err = fmt.Errorf("%w: HANDOFF_CLAIM is for %s, not for %s", handoff.ErrInvalid, name, f.name)
	}
	return f, err
}

// Renew extends the lease of the target's claim.
func (b *Book) Renew(ctx context.Context, t Target, ttl time.Duration) (Record, error) {
	f, err := b.held(ctx, t)
	if err != nil {
		return Record{}, err
	}
	return b.step(ctx, f, outbox.Request{Step: outbox.Renew, Claim: f.claim, TTL: int64(ttl)})
}

// Release releases a handoff, and brings the metadata of its task up to date:
// it waits again.
func (b *Book) Release(ctx context.Context, t Target, why string) (Record, error) {
	f, err := b.held(ctx, t)
	if gone, is := errors.AsType[*nobodyError](err); is && gone.State == receipt.Released {
		return gone.Record, nil
	}
	if err != nil {
		return Record{}, err
	}
	r, err := b.shared(ctx, f, outbox.Request{Step: outbox.Release, Claim: f.claim, Why: why})
	if _, stale := errors.AsType[*receipt.StaleError](err); err == nil || stale { // a caller that is told so knows that it lost the claim
		b.forget(t.Who, f.name, f.claim)
	}
	return r, err
}

// Finish records that the work of a handoff is done: by the holder, or by a
// named person if nobody holds it. The metadata of its task presents it no longer.
func (b *Book) Finish(ctx context.Context, t Target, by string) (Record, error) {
	return b.FinishWith(ctx, t, by, nil)
}

// FinishWith is [Book.Finish] with what is known of the work; nil for nothing.
func (b *Book) FinishWith(ctx context.Context, t Target, by string, e *receipt.Evidence) (Record, error) {
	return b.FinishProven(ctx, t, by, func(context.Context) (*receipt.Evidence, error) { return e, nil })
}

// FinishProven is [Book.FinishWith] for a caller that finds out what is known only if the work may be
// recorded as done: that may take long. An agent of a relay only tells the relay, which finds out by
// itself: see [Record.Said].
func (b *Book) FinishProven(ctx context.Context, t Target, by string, proof func(context.Context) (*receipt.Evidence, error)) (Record, error) {
	if r, said, err := b.sayDone(ctx, t, by); said || err != nil {
		return r, err
	}
	t.As = by
	f, err := b.find(ctx, t)
	if err != nil {
		return Record{}, err
	}
	claim, err := b.claimOf(ctx, t, f)
	switch {
	case err != nil:
		return Record{}, err
	case by != "" || claim != "":
	case t.Claim == "":
		return b.finished(t, f)
	default:
		_, err = b.held(ctx, t)
		return Record{}, err // the claim is for another handoff
	}
	request := outbox.Request{Step: outbox.Done, By: by, Claim: claim}
	if !b.repeats(f, request) { // what is found out about work that is finished already is not recorded
		if request.Evidence, err = proof(ctx); err != nil {
			return Record{}, err
		}
	}
	r, err := b.shared(ctx, f, request)
	if r.Evidence = request.Evidence; err == nil {
		b.forget(t.Who, f.name, claim)
	}
	return r, b.explain(err, t, f)
}

// repeats reports whether a request would change nothing, as far as is known here.
func (b *Book) repeats(f found, r outbox.Request) bool {
	life, err := b.store.Life(f.name)
	if err != nil {
		return false
	}
	steps, err := f.at(b.ws.Now()).FinishWith(r.By, r.Claim, nil)(f.name, &life)
	return err == nil && len(steps) == 0
}

// finished is the answer to a caller without a claim and a name: a handoff that is finished
// needs neither, because finishing it again has no further effect.
func (b *Book) finished(t Target, f found) (Record, error) {
	err := b.noClaim(t, f)
	if gone, is := errors.AsType[*nobodyError](err); is && (gone.State == receipt.Done || gone.State == receipt.Superseded) {
		return gone.Record, nil
	} else if is {
		gone.instead = ", or pass --as NAME for a handoff that nobody holds"
	}
	return Record{}, err
}

// Life is the history of a handoff.
func (b *Book) Life(ctx context.Context, t Target) (Record, receipt.Life, error) {
	f, err := b.find(ctx, t)
	if err != nil {
		return Record{}, receipt.Life{}, err
	}
	l, err := b.store.Life(f.name)
	r := b.recordOf(f, &l)
	r.Freshness = FreshnessOf(b.ws)
	return r, l, err
}

// Supersede records that the holder of a claim wrote the next handoff at a path
// below the workspace. It does nothing if that is of another task, or reports a
// closed phase.
func (b *Book) Supersede(ctx context.Context, claim, next string) error {
	_, err := b.supersede(ctx, claim, next)
	return err
}

// supersede is Supersede; it returns the path of what is superseded, "" for nothing.
func (b *Book) supersede(ctx context.Context, claim, next string) (path string, err error) {
	f, err := b.find(ctx, Target{Claim: claim})
	if err != nil || f.isWork() { // which the next handoff continues
		return "", err
	}
	e := documents.EntryAt(b.ws, next)
	doc, err := documents.Read(b.ws, e)
	if err != nil || e.Name.Dir != f.Name.Dir || e.Name.Chain != f.Name.Chain || next == f.Path || !doc.Continues() {
		return "", err
	}
	if _, err = b.step(ctx, f, outbox.Request{Step: outbox.Supersede, Claim: claim, Next: b.store.Place().Path(next)}); err != nil {
		return "", err
	}
	return f.Path, nil
}
