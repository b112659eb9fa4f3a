// Package receipts offers the operations of a successor on a handoff: claim it,
// acknowledge it, renew or release the claim, finish it, and find the next one.
// The command and other surfaces share them. Package receipt decides what is
// allowed; this package finds documents, and keeps the metadata up to date.
package receipts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"handoff"
	"handoff/internal/file/lockfile"
	"handoff/receipt"
	"handoff/thread"
	"handoff/workspace"
	"handoff/workspace/current"
	"handoff/workspace/documents"
	"handoff/workspace/outbox"
	"handoff/workspace/sync"
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

func (b *Book) newID() string {
	if b.ws.Options.NewID != nil {
		return b.ws.Options.NewID()
	}
	return thread.NewUUID()
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
}

// Record is what became of a handoff. Its keys are the JSON of all commands.
type Record struct {
	Ref          string        `json:"ref"`
	Path         string        `json:"path"`
	State        receipt.State `json:"state"`
	Since        time.Time     `json:"since,omitzero"`
	By           string        `json:"by,omitempty"`
	Claim        string        `json:"claim,omitempty"`
	Token        uint64        `json:"token,omitempty"`
	Until        time.Time     `json:"until,omitzero"`
	Acknowledged bool          `json:"acknowledged,omitempty"`
	Queued       []outbox.Step `json:"queued,omitempty" doc:"steps that wait for the store: the other members already count them"`
	Freshness
	NotRecorded *Queued `json:"-"` // the requested step, if it waits
	Doubt       string  `json:"-"` // why another handoff of the task may be newer
	Unlinked    error   `json:"-"` // why the metadata of the task is not up to date; nil if it is
	Forgotten   error   `json:"-"` // why later commands do not find the claim without its id; nil if they do
}

// Later reports whether the requested step waits for the store.
func (r Record) Later() bool { return r.NotRecorded != nil }

// Ends reports whether a step that waits for the store ends the claim.
func (r Record) Ends() bool {
	return slices.ContainsFunc(r.Queued, func(s outbox.Step) bool {
		return s == outbox.Done || s == outbox.Release || s == outbox.Supersede
	})
}

func (b *Book) recordOf(e documents.Entry, l *receipt.Life) Record {
	now := b.ws.Now()
	r := Record{Ref: e.Ref(), Path: e.Path, Doubt: e.Doubt, State: l.State(now), Since: l.Since(now), Acknowledged: l.Acknowledged != nil}
	for _, q := range b.waits(b.store.Place().Path(e.Path)) {
		r.Queued = append(r.Queued, q.Step)
	}
	switch r.State {
	case receipt.Claimed, receipt.Expired:
		r.By, r.Claim, r.Token, r.Until = l.Claim.By, l.Claim.ID, l.Claim.Token, l.Claim.Until
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
			return f, fmt.Errorf("%w: which handoff? Give a path, 259/3, 259 or latest: nothing is claimed here (`handoff next` lists what waits)", handoff.ErrInvalid)
		}
		name, _, err := b.store.Claimed(ctx, f.claim)
		if err != nil {
			return f, err
		}
		path, ok := b.store.Place().InWorkspace(name)
		if !ok {
			return f, fmt.Errorf("%w: HANDOFF_CLAIM is for %s, which is in another workspace of this repository", handoff.ErrInvalid, name)
		}
		f.Entry = documents.EntryAt(b.ws, path)
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

// Claim claims a handoff: see [receipt.Moment.Claim]. Without an ID the request gets
// a new one. A document that must not be delivered is refused with a [handoff.ConflictError].
func (b *Book) Claim(ctx context.Context, t Target, r receipt.ClaimRequest) (Record, error) {
	t.As = r.By
	f, err := b.find(ctx, t)
	if err != nil {
		return Record{}, err
	}
	if conflict := f.doc.Undeliverable(f.Path); conflict != nil {
		return Record{}, conflict
	}
	if again, ok, err := b.again(ctx, t, f, r); ok || err != nil {
		return again, err
	}
	if r.ID == nil {
		r.ID = b.newID
	}
	reopens, err := b.reopens(f, r.Force)
	if err != nil {
		return Record{}, err
	}
	var unremembered error
	r.ID = b.remember(t.Who, f.name, r.By, r.ID, &unremembered)
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
	b.sayClock(&l)
	b.tidy(t.Who, f.name, l.Claim.ID)
	record := b.recordOf(f.Entry, &l)
	record.Forgotten = unremembered
	if reopens {
		record.Unlinked = b.relinkOf(ctx, f)
	}
	return record, nil
}

// reopens reports whether a claim reopens a handoff that the metadata of its task shows as done.
// That needs force, also if it was finished in another clone, whose receipts are not here.
func (b *Book) reopens(f found, force bool) (bool, error) {
	if at, ok := documents.DoneElsewhere(b.ws, f.Entry); ok && !force {
		return false, doneElsewhere(f, at)
	}
	if !force || !documents.ShowsDone(b.ws, f.Entry) {
		return false, nil
	}
	return true, b.owe(f)
}

// again returns the claim of a caller that claims what it holds, for as long as it asks for at
// least: a call that is repeated because its answer was lost has no other effect. ok is false if
// the caller does not hold the handoff, or wants a new claim by force.
func (b *Book) again(ctx context.Context, t Target, f found, r receipt.ClaimRequest) (record Record, ok bool, err error) {
	claim, err := b.claimOf(ctx, t, f)
	if claim == "" || err != nil || r.Force {
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
	return b.recordOf(f.Entry, &l), true, nil
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

// Deliver records that a handoff is about to be shown to a successor: the
// holder of the target's claim, else the one in to. If neither is for this
// handoff it does nothing.
func (b *Book) Deliver(ctx context.Context, t Target, to string) error {
	t.As = to
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
	t.As = by
	f, err := b.find(ctx, t)
	if err != nil {
		return Record{}, err
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

// shared records a step that the metadata of the task shows, too, and brings it up to date. If
// the process is killed between the two, the next sync does it.
func (b *Book) shared(ctx context.Context, f found, request outbox.Request) (Record, error) {
	if err := b.owe(f); err != nil {
		return Record{}, err
	}
	r, err := b.step(ctx, f, request)
	if err == nil && !r.Later() {
		r.Unlinked = b.relinkOf(ctx, f)
	}
	return r, err
}

// owe records that the metadata of a handoff's task must show the step that follows.
func (b *Book) owe(f found) error {
	if f.Name.Dir == "" {
		return nil // in no task folder
	}
	err := sync.Owe(b.ws, f.Path)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil // in the sandbox of an agent nothing but the receipts can be written there; after a kill `verify` finds it
	}
	return err
}

// relinkOf brings the metadata of a handoff's task up to date, if the document exists.
func (b *Book) relinkOf(ctx context.Context, f found) error {
	if f.doc == nil {
		return nil
	}
	return b.relink(ctx, f.Name.Dir)
}

// relink brings the metadata of a task up to date.
func (b *Book) relink(ctx context.Context, dir string) error {
	if dir == "" {
		return nil // in no task folder
	}
	err := sync.Run(ctx, b.ws, sync.Request{Tasks: []string{dir}}, func(s sync.Result) error { return s.Err })
	if err != nil {
		err = fmt.Errorf("recorded, but the metadata is not up to date: %w (`handoff sync %s` tries again)", err, dir)
	}
	return err
}

// Finish records that the work of a handoff is done: by the holder, or by a
// named person if nobody holds it. The metadata of its task presents it no longer.
func (b *Book) Finish(ctx context.Context, t Target, by string) (Record, error) {
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
	r, err := b.shared(ctx, f, outbox.Request{Step: outbox.Done, By: by, Claim: claim})
	if err == nil {
		b.forget(t.Who, f.name, claim)
	}
	return r, b.explain(err, t, f)
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
	r := b.recordOf(f.Entry, &l)
	r.Freshness = b.freshness()
	return r, l, err
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

// Supersede records that the holder of a claim wrote the next handoff at a path
// below the workspace. It does nothing if that is of another task, or reports a
// closed phase.
func (b *Book) Supersede(ctx context.Context, claim, next string) error {
	f, err := b.find(ctx, Target{Claim: claim})
	if err != nil {
		return err
	}
	e := documents.EntryAt(b.ws, next)
	doc, err := documents.Read(b.ws, e)
	if err != nil || e.Name.Dir != f.Name.Dir || e.Name.Chain != f.Name.Chain || next == f.Path || !doc.Continues() {
		return err
	}
	_, err = b.step(ctx, f, outbox.Request{Step: outbox.Supersede, Claim: claim, Next: b.store.Place().Path(next)})
	return err
}
