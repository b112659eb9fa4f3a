package tape

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"handoff/internal/journal"
	"handoff/internal/json/jsontext"
)

// intentionAnchor is the anchor that says what a fork was made for.
const intentionAnchor = "intention"

// bootstrap is the anchor that every tape begins with.
const bootstrap = "session/start"

// Append adds entries, in one write, and returns them as they stand: with ids,
// and with the date of now where they have none. A tape that is not there is
// begun, with the anchor "session/start".
func (t *Tape) Append(ctx context.Context, entries ...Entry) ([]Entry, error) {
	return t.write(ctx, journal.Any(), func(*journal.Journal) ([]Entry, error) { return entries, nil })
}

// Handoff adds an anchor and the event that tells of it, in one write, and
// returns them: see [Tape.HandoffEntries]. state is a JSON object, nil for none; so is meta, which both
// get.
func (t *Tape) Handoff(ctx context.Context, name string, state, meta json.RawMessage) ([]Entry, error) {
	entries, err := t.HandoffEntries(name, state, meta)
	if err != nil {
		return nil, err
	}
	return t.Append(ctx, entries...)
}

// Ensure begins the tape with its bootstrap anchor, unless it has an anchor.
func (t *Tape) Ensure(ctx context.Context) error {
	_, err := t.decide(ctx, func(j *journal.Journal) ([]Entry, error) {
		if j == nil && !t.bare {
			return nil, nil // it is begun anyway
		}
		if j != nil {
			for _, list := range []string{listAnchors, listForks} { // a linked fork has its parent's
				if n, err := j.Count(list); err != nil || n > 0 {
					return nil, err
				}
			}
		}
		return bootstrapEntries(nil)
	})
	return err
}

// anchorPayload is that of an anchor, and the data of its event.
type anchorPayload struct {
	Name  string          `json:"name"`
	State json.RawMessage `json:"state,omitempty"`
}

type eventPayload struct {
	Name string `json:"name"`
	Data any    `json:"data,omitempty"`
}

// HandoffEntries are an anchor and the event that tells of it, to be appended
// in one write. state is a JSON object, nil for none; so is meta, which both
// get.
func HandoffEntries(name string, state, meta json.RawMessage) ([]Entry, error) {
	if len(state) > 0 {
		if _, err := object("state", state); err != nil {
			return nil, err
		}
	}
	anchor, err := NewEntry(KindAnchor, anchorPayload{name, state}, meta)
	if err != nil {
		return nil, err
	}
	return []Entry{anchor, eventOf(anchor)}, nil
}

// eventOf is the event that tells of an anchor.
func eventOf(anchor Entry) Entry {
	state := anchor.State()
	if state == nil {
		state = json.RawMessage("{}")
	}
	e, err := NewEntry(KindEvent, eventPayload{eventHandoff, anchorPayload{anchor.Name(), state}}, anchor.Meta)
	if _, ok := requestOf(&anchor); ok && err == nil {
		var members []jsontext.Member
		members, err = withoutRequest(anchor.Meta) // which is the anchor's only
		e.Meta = jsontext.Python.AppendMembers(nil, members)
	}
	if err != nil {
		panic(err) // it was read, or made, as JSON
	}
	return e
}

func newEvent(name string, data any) (Entry, error) {
	return NewEntry(KindEvent, eventPayload{name, data}, nil)
}

// bootstrapEntries begin a tape; state is {"owner": "human"} if nil.
func bootstrapEntries(state json.RawMessage) ([]Entry, error) {
	if state == nil {
		state = json.RawMessage(`{"owner": "human"}`)
	}
	return HandoffEntries(bootstrap, state, nil)
}

// decide is write for what depends on what the tape has, all of which make can
// read.
func (t *Tape) decide(ctx context.Context, make func(*journal.Journal) ([]Entry, error)) ([]Entry, error) {
	return t.write(ctx, journal.Settled(), make)
}

// oneAtATime is for what no single append decides.
func (s *Store) oneAtATime(ctx context.Context) (done func(), err error) {
	select {
	case s.deciding <- struct{}{}:
		return func() { <-s.deciding }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// write appends what make says, which is called while the tape is locked; its
// journal is nil for a tape that is not there yet.
func (t *Tape) write(ctx context.Context, expect journal.Expect, make func(*journal.Journal) ([]Entry, error)) (stored []Entry, err error) {
	for {
		j, release, err := t.store.journal(t.path)
		switch {
		case err == nil:
			stored, err = t.appendTo(ctx, j, expect, make)
			release()
			if err == nil && slices.ContainsFunc(stored, func(e Entry) bool { return e.Kind == KindAnchor }) {
				t.store.outdated(t)
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return stored, err
			}
			// It was archived in this moment: a new one is begun.
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
		stored, err = t.begin(make)
		if !errors.Is(err, fs.ErrExist) {
			return stored, err
		} // another was faster
	}
}

func (t *Tape) appendTo(ctx context.Context, j *journal.Journal, expect journal.Expect, make func(*journal.Journal) ([]Entry, error)) ([]Entry, error) {
	return t.appendAnyway(ctx, j, expect, func(j *journal.Journal) ([]Entry, error) {
		if err := t.closed(j); err != nil {
			return nil, err
		}
		return make(j)
	})
}

// appendAnyway also appends to a fork that is over.
func (t *Tape) appendAnyway(ctx context.Context, j *journal.Journal, expect journal.Expect, make func(*journal.Journal) ([]Entry, error)) (stored []Entry, err error) {
	_, err = j.Append(ctx, expect, func(next uint64) ([]journal.Line, error) {
		if next > mostID {
			return nil, t.noMoreIDs()
		}
		torn, done, err := t.tornEvent(j, next)
		if err != nil {
			return nil, err
		}
		if stored, err = make(j); err != nil || len(stored) == 0 {
			return nil, err
		}
		var first []Entry
		switch retried := torn != nil && sameEvent(stored[0], *torn); {
		case retried && done:
			stored = stored[1:]
		case torn != nil && !retried && !done:
			first = []Entry{*torn}
		}
		lines, numbered, err := t.lines(next, append(first, stored...))
		stored = numbered[min(len(first), len(numbered)):]
		return journal.Lines(lines), err
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

func (t *Tape) noMoreIDs() error { return fmt.Errorf("%s: no ids are left", t.path) }

// begin makes the tape, all of it or nothing.
func (t *Tape) begin(make func(*journal.Journal) ([]Entry, error)) (stored []Entry, err error) {
	var first []Entry
	if !t.bare {
		if err := t.store.mayBegin(t.name); err != nil {
			return nil, err
		}
		if first, err = bootstrapEntries(nil); err != nil {
			return nil, err
		}
		if t.plain {
			first = nil
		}
	}
	more, err := make(nil)
	if err != nil || len(more)+len(first) == 0 {
		return nil, err
	}
	numbered, err := t.create(append(first, more...))
	if err == nil {
		t.store.outdated(t)
	}
	return numbered[min(len(first), len(numbered)):], err
}

// entriesAt are those of one line.
func entriesAt(j records, pos uint64) ([]Entry, error) {
	rec, err := j.Get(pos)
	if err != nil {
		return nil, err
	}
	return entriesOf(rec)
}

func entriesOf(rec journal.Record) ([]Entry, error) {
	entries, err := Parse(rec.Line)
	for i := range entries {
		entries[i].at.pos = rec.Pos
	}
	return entries, err
}
