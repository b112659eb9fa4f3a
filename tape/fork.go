package tape

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strconv"

	"handoff/internal/json/jsontext"
)

// Latest is the end of a tape, as a name for where a fork ends; an anchor that
// has this name comes first.
const Latest = "latest"

// Intention is what a fork is made for.
type Intention struct {
	NextSteps         string  `json:"next_steps"`
	ContextSummary    string  `json:"context_summary"`
	TriggerOnComplete *string `json:"trigger_on_complete"`
	CreatedAt         string  `json:"created_at"` // the time of the fork, if ""
}

// ForkRequest asks for a tape that goes on from another. Without FromAnchor
// and FromEntry it takes over all of it.
type ForkRequest struct {
	To         string  // the new tape; "" makes up a name
	FromAnchor *string // begin with the last anchor of that name
	FromEntry  *int64  // begin with the last entry of that id
	Until      string  // end before the first anchor of that name behind; "" and Latest are the end
	Intention  *Intention
	// Link refers to the parent's entries in place of copying them. The parent
	// may go on, be reset and be archived; what it has must not be taken away.
	Link bool
	// Key, if not "", makes the request safe to be sent again: what it has made
	// is told, also when that is over. The session is named after it.
	Key string `json:"-"`
}

// ForkResult says which tape was made.
type ForkResult struct {
	Tape      string `json:"tape"`
	SessionID string `json:"session_id"`
	Parent    string `json:"parent"`
	Entries   uint64 `json:"entries"` // how many were taken over
	Linked    bool   `json:"linked,omitempty"`
	Existed   bool   `json:"-"` // the same request had made it before
}

// Fork makes a tape that goes on from this one, which is not written to. What
// is taken over keeps its date and meta, to which "origin" is added, and gets
// ids from 1. An intention becomes the last anchor, so that the context of the
// fork begins with it. A name that is taken is fs.ErrExist; so is a key that
// was, as [ErrKeyUsed].
func (t *Tape) Fork(ctx context.Context, r ForkRequest) (ForkResult, error) {
	if t.bare {
		return ForkResult{}, invalid("%s does not belong to a store and cannot be forked: import it", t.path)
	}
	if r.FromAnchor != nil && r.FromEntry != nil {
		return ForkResult{}, invalid("fork: give one of from_anchor and from_entry, not both")
	}
	if r.Key == "" {
		return t.fork(ctx, r)
	}
	return t.forkOnce(ctx, r)
}

func (t *Tape) fork(ctx context.Context, r ForkRequest) (ForkResult, error) {
	v, err := t.view()
	if err != nil {
		return ForkResult{}, err
	}
	defer v.close()
	if v.own() == nil {
		return ForkResult{}, t.missing()
	}
	if err := t.closed(v.own().j); err != nil {
		return ForkResult{}, err
	}
	f, err := t.forkEvent(v, &r)
	if err != nil {
		return ForkResult{}, err
	}
	child, err := t.store.Tape(f.Tape)
	if err != nil {
		return ForkResult{}, err
	}
	from, before, err := v.forkWindow(r)
	if err != nil {
		return ForkResult{}, err
	}
	there, err := child.Exists() // or all would be copied in vain
	if err == nil && there {
		err = fs.ErrExist
	}
	if err == nil {
		err = child.createFrom(func(add func(...Entry) error) error {
			return t.copyFork(ctx, part{v, from, before}, &f, r, add)
		})
	}
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("tape %s already exists: %w", child.name, fs.ErrExist)
	}
	if err != nil {
		return ForkResult{}, err
	}
	// The fork is there and says all that the graph does: that it could not be
	// noted is no reason to say that it failed.
	_ = t.store.note(ctx, f.lineage())
	t.store.refresh(f.Tape)
	return f.result(), nil
}

// forkEvent is that of a fork that is to be made.
func (t *Tape) forkEvent(v *view, r *ForkRequest) (forkEvent, error) {
	f := forkEvent{SessionID: t.sessionOf(r), Parent: t.name, ParentSessionID: t.name, FromAnchor: r.FromAnchor, CreatedAt: t.store.now(), Request: r.digest()}
	f.Tape = or(r.To, f.SessionID)
	parent, ok, err := forkOf(v.own().j)
	if ok {
		f.ParentSessionID = parent.SessionID
	}
	return f, err
}

// part is what of a view a fork takes over: from one spot on, and before another.
type part struct {
	*view
	from, before *spot
}

func (p part) entries() iter.Seq2[Entry, error] { return p.view.from(p.from, p.before) }

// copyFork adds the entries that a fork begins with as they are read: the parent
// may be longer than what fits into memory.
func (t *Tape) copyFork(ctx context.Context, p part, f *forkEvent, r ForkRequest, add func(...Entry) error) (err error) {
	if r.Link {
		f.Links, err = p.links(t.name, p.from, p.before)
	} else {
		err = p.addFirst(t.name, add)
	}
	if err != nil {
		return err
	}
	for e, err := range p.entries() {
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
		if err := add(withOrigin(e, or(e.Source, t.name))); err != nil {
			return err
		}
	}
	last, err := f.ending(r.Intention)
	if err != nil {
		return err
	}
	return add(last...)
}

// addFirst adds a bootstrap anchor where the part has no anchor. Nearly always it
// begins with one, and little is read twice.
func (p part) addFirst(tape string, add func(...Entry) error) error {
	for e, err := range p.entries() {
		if err != nil || e.Kind == KindAnchor {
			return err
		}
	}
	first, err := bootstrapEntries(jsontext.Python.AppendMembers(nil, []jsontext.Member{text("owner", "forked"), text("from_tape", tape)}))
	if err != nil {
		return err
	}
	return add(first...)
}

// ending is what a fork has of its own from the beginning: the event of the
// fork, and the anchor of its intention.
func (f *forkEvent) ending(i *Intention) ([]Entry, error) {
	event, err := newEvent(eventFork, f)
	if err != nil || i == nil {
		return []Entry{event}, err
	}
	said := *i
	said.CreatedAt = or(said.CreatedAt, f.CreatedAt)
	state, err := json.Marshal(said)
	if err != nil {
		return nil, err
	}
	handoff, err := HandoffEntries(intentionAnchor, state, nil)
	return append([]Entry{event}, handoff...), err
}

// forkWindow is what of the parent is taken over: from the first spot on, that
// one included, and before the second.
func (v *view) forkWindow(r ForkRequest) (from, before *spot, err error) {
	switch {
	case r.FromAnchor != nil:
		f, err := v.anchorFor(Window{mode: afterNamed, start: *r.FromAnchor})
		if err != nil {
			return nil, nil, err
		}
		from = &f.spot
	case r.FromEntry != nil:
		f, ok, err := v.lastWith(idKey(*r.FromEntry), func(e *Entry) bool { return e.ID == *r.FromEntry })
		if err == nil && !ok {
			err = noEntry(*r.FromEntry)
		}
		if err != nil {
			return nil, nil, err
		}
		from = &f.spot
	}
	if r.Until == "" {
		return from, nil, nil
	}
	start := spot{}
	if from != nil {
		start = *from
	}
	f, ok, err := v.firstWith(anchorKey(r.Until), start, isAnchorNamed(r.Until))
	switch {
	case err != nil || !ok && r.Until != Latest:
		return nil, nil, errors.Join(err, noAnchor(r.Until))
	case !ok:
		return from, nil, nil
	}
	return from, &f.spot, nil
}

func noEntry(id int64) error {
	return &Error{Kind: NotFound, Message: "Entry " + strconv.FormatInt(id, 10) + " was not found."}
}

// withOrigin is an entry for another tape. Where it says already what it is a
// copy of, it goes on to say that.
func withOrigin(e Entry, tape string) Entry {
	members, err := jsontext.Python.Object(string(e.Meta))
	if err != nil || jsontext.Get(e.Meta, "origin") != "" {
		return e
	}
	origin := jsontext.Python.AppendMembers(nil, []jsontext.Member{text("tape", tape), {Name: "id", Value: strconv.FormatInt(e.ID, 10)}})
	e.Meta = jsontext.Python.AppendMembers(nil, append(members, jsontext.Member{Name: "origin", Value: string(origin)}))
	return e
}

// SetTitle gives the tape a title.
func (t *Tape) SetTitle(ctx context.Context, title string) error {
	e, err := newEvent(eventTitle, map[string]string{"title": title})
	if err != nil {
		return err
	}
	if _, err = t.Append(ctx, e); err == nil {
		t.store.refresh(t.name)
	}
	return err
}

// closed is the error for who writes to a fork that is over.
func (t *Tape) closed(j records) error {
	if t.bare {
		return nil
	}
	c, ok, err := closingOf(j)
	if err != nil || !ok {
		return err
	}
	return invalid("tape %s is %s: create a new fork to continue", t.name, c.As)
}
