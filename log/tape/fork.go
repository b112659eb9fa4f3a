package tape

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"handoff/log/tape/entry"
	"handoff/log/tape/lineage"
	"handoff/log/tape/view"
)

// Latest is the end of a tape, as the name of where a fork ends. An anchor of
// this name takes precedence.
const Latest = "latest"

// Intention is what a fork is for.
type Intention struct {
	NextSteps         string  `json:"next_steps"`
	ContextSummary    string  `json:"context_summary"`
	TriggerOnComplete *string `json:"trigger_on_complete"`
	CreatedAt         string  `json:"created_at"` // the time of the fork, if ""
}

// ForkRequest asks for a tape that continues another one: from its start, unless
// FromAnchor or FromEntry is given.
type ForkRequest struct {
	To         string  // the new tape; "" generates a name
	FromAnchor *string // start with the last anchor of that name
	FromEntry  *int64  // start with the last entry of that id
	Until      string  // end before the next anchor of that name; "" and Latest are the end
	Intention  *Intention
	// Link refers to the parent's entries instead of copying them. The parent may
	// continue, be reset and be archived, but its entries must not be destroyed.
	Link bool
	// Key, if not "", is the idempotency key: repeating the request returns the
	// fork, also when that was merged or discarded. The session is named after it.
	Key string `json:"-"`
}

// ForkResult is the new tape.
type ForkResult struct {
	Tape      string `json:"tape"`
	SessionID string `json:"session_id"`
	Parent    string `json:"parent"`
	Entries   uint64 `json:"entries"` // copied or linked
	Linked    bool   `json:"linked,omitempty"`
	Existed   bool   `json:"-"` // the same request created it before
}

// Fork creates a tape that continues this one; it does not write to this one.
// Copied entries keep their date and meta, to which "origin" is added, and get
// ids from 1. An intention becomes the last anchor, so that the context of the
// fork starts with it. A name that exists is fs.ErrExist; so is a key that was
// used, as [ErrKeyUsed].
func (t *Tape) Fork(ctx context.Context, r ForkRequest) (f ForkResult, err error) {
	if err := errors.Join(t.inStore("forked: import it"), t.earlier(ctx)); err != nil {
		return f, err
	}
	if r.FromAnchor != nil && r.FromEntry != nil {
		return f, entry.Invalid("fork: give one of from_anchor and from_entry, not both")
	}
	if r.Key == "" {
		return t.fork(ctx, r)
	}
	if err := entry.CheckKey(r.Key); err != nil {
		return f, err
	}
	done, err := t.store.oneAtATime(ctx)
	if err != nil {
		return f, err
	}
	defer done()
	f, ok, err := t.forkedBefore(r)
	if err != nil || ok {
		return f, err
	}
	f, exists := t.fork(ctx, r)
	if errors.Is(exists, fs.ErrExist) { // another process may have got the same request
		if f, ok, err = t.forkedBefore(r); err != nil || ok {
			return f, err
		}
	}
	return f, exists
}

func (t *Tape) fork(ctx context.Context, r ForkRequest) (ForkResult, error) {
	for {
		here, err := t.fixed(ctx)
		if err != nil {
			return ForkResult{}, err
		}
		f, err := here.forkNow(ctx, r)
		if moved, err := t.movedOn(ctx, here.path, err); !moved {
			return f, err
		}
	}
}

// forkNow is fork for the file that the tape has now.
func (t *Tape) forkNow(ctx context.Context, r ForkRequest) (ForkResult, error) {
	v, release, err := t.view()
	if err != nil {
		return ForkResult{}, err
	}
	defer release()
	if v.Own() == nil {
		return ForkResult{}, t.missing()
	}
	if err := t.closed(v.Own().Records); err != nil {
		return ForkResult{}, err
	}
	f := lineage.Event{SessionID: t.sessionOf(r), Parent: t.name, ParentSessionID: t.name, FromAnchor: r.FromAnchor, CreatedAt: t.store.now(), Request: r.digest()}
	f.Tape = cmp.Or(r.To, f.SessionID)
	if parent, ok, err := lineage.EventOf(v.Own().Records); err != nil {
		return ForkResult{}, err
	} else if ok {
		f.ParentSessionID = parent.SessionID
	}
	child, err := t.store.Tape(f.Tape)
	if err != nil {
		return ForkResult{}, err
	}
	part, err := forkRange(v, r)
	if err != nil {
		return ForkResult{}, err
	}
	begun := f
	exists, err := child.Exists() // checked before everything is copied
	if err == nil && exists {
		err = fs.ErrExist
	}
	if err == nil {
		err = child.createFrom(ctx, func(add func(...Entry) error) error {
			f = begun // it may be the second attempt
			return t.copyFork(ctx, v, part, &f, r, add)
		})
	}
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("tape %s already exists: %w", child.name, fs.ErrExist)
	}
	if err != nil {
		return ForkResult{}, err
	}
	// The graph is derived from the fork's tape, which exists: a failure here is
	// not a failure of the fork.
	_ = t.store.graph().Add(ctx, f.Fork())
	t.store.refresh(f.Tape)
	return resultOf(f), nil
}

// forkRange is the entries of the parent that a fork gets.
func forkRange(v *view.View, r ForkRequest) (part view.Range, err error) {
	part = view.All()
	if r.FromAnchor != nil || r.FromEntry != nil {
		var f view.Found
		if r.FromAnchor != nil {
			f, err = v.Anchor(*r.FromAnchor)
		} else {
			f, err = v.Entry(*r.FromEntry)
		}
		if err != nil {
			return part, err
		}
		part.From = f.Spot
	}
	if r.Until == "" {
		return part, nil
	}
	end, ok, err := v.FirstWith(view.AnchorKey(r.Until), part.From.Next(), entry.IsAnchorNamed(r.Until))
	switch {
	case err == nil && ok:
		part.To = end.Spot
	case err == nil && r.Until != Latest:
		err = entry.NoAnchor(r.Until)
	}
	return part, err
}

// copyFork adds the entries of a new fork as they are read: there may be more
// than fit into memory.
func (t *Tape) copyFork(ctx context.Context, v *view.View, part view.Range, f *lineage.Event, r ForkRequest, add func(...Entry) error) (err error) {
	if r.Link {
		f.Links, err = lineage.Links(v, t.name, part)
	} else {
		err = t.addStart(v.Entries(part), add)
	}
	if err != nil {
		return err
	}
	for e, err := range v.Entries(part) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if f.FromEntry == nil {
			f.FromEntry = new(e.ID)
		}
		if f.Entries++; r.Link {
			continue
		}
		if err := add(e.CopiedFrom(cmp.Or(e.Source, t.name))); err != nil {
			return err
		}
	}
	event, err := entry.NewEvent(entry.EventFork, f)
	if err != nil {
		return err
	}
	if err := add(event); err != nil || r.Intention == nil {
		return err
	}
	intention := *r.Intention
	intention.CreatedAt = cmp.Or(intention.CreatedAt, f.CreatedAt)
	state, err := json.Marshal(intention)
	if err != nil {
		return err
	}
	handoff, err := entry.Handoff(entry.AnchorIntention, state, nil)
	if err != nil {
		return err
	}
	return add(handoff...)
}

// addStart adds the first anchor of a copy that has no anchor.
func (t *Tape) addStart(entries iter.Seq2[Entry, error], add func(...Entry) error) error {
	for e, err := range entries {
		if err != nil || e.Kind == entry.KindAnchor {
			return err
		}
	}
	first, err := entry.Start(entry.TextMember("owner", "forked"), entry.TextMember("from_tape", t.name))
	if err != nil {
		return err
	}
	return add(first...)
}

// sessionOf is the id of the fork that a request creates.
func (t *Tape) sessionOf(r ForkRequest) string {
	if r.Key == "" {
		id := t.store.options.NewID()
		return t.name + "-fork-" + id[:min(8, len(id))]
	}
	sum := sha256.Sum256([]byte(t.name + "\x00" + r.Key))
	return t.name + "-fork-" + hex.EncodeToString(sum[:8]) // longer, as it must be unique by itself
}

// digest distinguishes requests with the same key; "" without a key.
func (r ForkRequest) digest() string {
	if r.Key == "" {
		return ""
	}
	src, err := json.Marshal(r)
	if err != nil {
		panic(err) // it consists of texts
	}
	return fmt.Sprintf("%x", sha256.Sum256(src))
}

// forkedBefore returns the fork that the same request has already created. Its
// tape is named in the graph or, if a process was killed before it wrote the
// graph, has the name in the request. The fork may be over.
func (t *Tape) forkedBefore(r ForkRequest) (result ForkResult, ok bool, err error) {
	session := t.sessionOf(r)
	names := []string{cmp.Or(r.To, session)}
	noted, ok, err := t.store.graph().Session(session)
	if err != nil {
		return result, false, err
	}
	if ok && noted.Tape != "" && noted.Tape != names[0] {
		names = append(names, noted.Tape)
	}
	for _, name := range names {
		for snap, err := range t.store.snapshots(t.store.filesOf(name)) {
			var f lineage.Event
			if err == nil {
				f, _, err = lineage.EventOf(snap)
			}
			if err == nil && f.SessionID != session {
				continue
			}
			if err == nil && f.Request != r.digest() {
				err = fmt.Errorf("tape %s: %w", t.name, ErrKeyUsed)
			}
			result = resultOf(f)
			result.Existed = true
			return result, err == nil, err
		}
	}
	return result, false, nil
}

func resultOf(f lineage.Event) ForkResult {
	return ForkResult{Tape: f.Tape, SessionID: f.SessionID, Parent: f.Parent, Entries: f.Entries, Linked: len(f.Links) > 0}
}
