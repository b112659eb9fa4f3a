package tape

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"

	"handoff/internal/journal"
	"handoff/internal/json/jsontext"
	"handoff/log/tape/calls"
	"handoff/log/tape/entry"
	"handoff/log/tape/envelope"
	"handoff/log/tape/view"
)

// view returns the present content of the tape; release it. It stays the same
// when the tape is reset. Without a file it is empty.
func (t *Tape) view() (v *view.View, release func(), err error) {
	snap, closeOwn, err := t.store.snapshot(t.at())
	if errors.Is(err, fs.ErrNotExist) {
		return &view.View{}, func() {}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	v, closeLinked, err := t.viewOf(snap, snap.Len())
	if err != nil {
		closeOwn()
		return nil, nil, err
	}
	return v, func() { closeLinked(); closeOwn() }, nil
}

// shown is view with the entries that wait for the tape, so that a program reads what it has
// written; release it.
func (t *Tape) shown() (v *view.View, release func(), err error) {
	if t.bare || t.pinned || t.store.options.Waiting == nil {
		return t.view()
	}
	waiting, err := t.store.options.Waiting(t.name) // before the tape: what is sent in between is on it
	if err != nil {
		return nil, nil, err
	}
	if v, release, err = t.view(); len(waiting) > 0 && err != nil && t.store.options.Away(err) {
		v, release, err = &view.View{}, func() {}, nil
	}
	if err != nil || len(waiting) == 0 {
		return v, release, err
	}
	if err = v.Wait(waiting); err != nil {
		release()
	}
	return v, release, err
}

// viewOf is the view of the n records of the tape's file; release it.
func (t *Tape) viewOf(r view.Records, n uint64) (v *view.View, release func(), err error) {
	v, release = &view.View{}, func() {}
	if !t.bare {
		v.Segments, release, err = t.store.linkedSegments(r)
	}
	if err != nil {
		return nil, nil, err
	}
	v.Segments = append(v.Segments, view.File(r, n))
	return v, release, nil
}

// viewed calls ask with the view of a tape that is locked for writing. It does
// nothing if the tape does not exist: then j is nil.
func (t *Tape) viewed(j *journal.Journal, ask func(*view.View) error) error {
	if j == nil {
		return nil
	}
	n, err := j.Len()
	if err != nil {
		return err
	}
	v, release, err := t.viewOf(j, n)
	if err != nil {
		return err
	}
	defer release()
	return ask(v)
}

// ask answers a question about the present content of a tape.
func ask[T any](t *Tape, question func(*view.View) (T, error)) (answer T, err error) {
	v, release, err := t.shown()
	if err != nil {
		return answer, err
	}
	defer release()
	return question(v)
}

// Query goes through the selected entries of those that are on the tape when it
// starts, or wait for it: see [Options.Waiting]. An error ends it: an [Error] if an anchor is missing or a date is not
// valid. A tape that does not exist has no entries.
func (t *Tape) Query(q Query) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		v, release, err := t.shown()
		if err != nil {
			yield(Entry{}, err)
			return
		}
		defer release()
		v.Query(q, yield)
	}
}

// Last returns the last entry of the tape, the zero value if it has none.
func (t *Tape) Last() (Entry, error) { return ask(t, (*view.View).Newest) }

// All is all entries of a query at once.
func (t *Tape) All(q Query) ([]Entry, error) { return view.Collect(t.Query(q)) }

// Slice is the part of the tape that a model sees: usually [FromLastAnchor]; a
// named anchor to resume from there. A tape without anchors is included whole.
func (t *Tape) Slice(w Window) (Slice, error) {
	return ask(t, func(v *view.View) (Slice, error) { return v.Slice(w) })
}

// SliceBytes is the length of a slice's lines. It reads only where the slice
// starts and ends, so that a caller can refuse a slice that does not fit into
// memory.
func (t *Tape) SliceBytes(w Window) (int64, error) {
	return ask(t, func(v *view.View) (int64, error) { return v.SliceBytes(w) })
}

// Unreadable is the lines of the tape's file that could not be read, from 1.
func (t *Tape) Unreadable() ([]int64, error) { return ask(t, (*view.View).Unreadable) }

// Hit is an entry that was found, and its tape.
type Hit struct {
	Tape  string
	Entry Entry
	URI   string // of the entry, "" if the tape is not in a store
}

// Search finds entries, the newest first: see [view.View.Search].
func (t *Tape) Search(s Search) (hits []Hit, err error) {
	found, err := ask(t, func(v *view.View) ([]Entry, error) { return v.Search(s) })
	for _, e := range found {
		hits = append(hits, Hit{cmp.Or(e.Source, t.name), e, t.entryURI(&e)})
	}
	return hits, err
}

// SearchAll searches all tapes, each with its own limit, in the order of their
// names.
func (s *Store) SearchAll(q Search) (hits []Hit, err error) {
	names, err := s.List()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		t, err := s.Tape(name)
		if err != nil {
			return nil, err
		}
		found, err := t.Search(q)
		if err != nil {
			return nil, err
		}
		for _, h := range found {
			if h.Entry.Source == "" { // else it is found on its own tape
				hits = append(hits, h)
			}
		}
	}
	return hits, nil
}

// Info is a summary of a tape.
type Info struct {
	Name            string  `json:"name"`
	Entries         int     `json:"entries"`
	Anchors         int     `json:"anchors"`
	LastAnchor      *string `json:"last_anchor"` // nil if there is none
	SinceLastAnchor int     `json:"entries_since_last_anchor"`
	// LastTokens and CacheHitRate are from the last event "run" that has the
	// usage of a model call.
	LastTokens   *int64   `json:"last_token_usage"`
	CacheHitRate *float64 `json:"last_token_cache_hit_rate"`
	Title        *string  `json:"title,omitempty"`
	// Owner is to whom the tape was handed over last, or who received a handover
	// on it; nil if there was none.
	Owner  *string `json:"owner,omitempty"`
	Passed int     `json:"passed,omitempty"` // lines that could not be read
	URI    string  `json:"uri,omitempty"`    // tape://…, "" if the tape is not in a store
}

// Info summarizes the tape, mostly from its index. The entries of a linked fork
// include those of its parent.
func (t *Tape) Info() (Info, error) { return ask(t, t.info) }

func (t *Tape) info(v *view.View) (info Info, err error) {
	info = Info{Name: t.name}
	if !t.bare {
		info.URI = Ref{Workspace: t.store.options.Workspace, Tape: t.name}.String()
	}
	if info.Entries, info.Anchors, err = v.Count(); err != nil {
		return info, err
	}
	info.SinceLastAnchor = info.Entries
	last, ok, err := v.Last(view.Anchors, entry.IsAnchor)
	if err != nil {
		return info, err
	}
	if ok {
		info.LastAnchor = optional(last.Name())
		if info.SinceLastAnchor, err = v.CountFrom(last.Spot.Next()); err != nil {
			return info, err
		}
	}
	if info.LastTokens, info.CacheHitRate, err = v.Usage(); err != nil || v.Own() == nil {
		return info, err
	}
	if info.Title, err = titleOf(v.Own().Records); err != nil {
		return info, err
	}
	owner, err := ownerOf(v)
	if err != nil {
		return info, err
	}
	info.Owner = optional(owner)
	lines, err := v.Unreadable()
	info.Passed = len(lines)
	return info, err
}

// optional is nil for "".
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// titleOf is the tape's title, nil if it has none. A title before the event of
// the fork was copied from the parent.
func titleOf(r view.Records) (*string, error) {
	title, ok, err := view.LastEvent(r, view.Titles, entry.EventTitle)
	if err != nil || !ok {
		return nil, err
	}
	fork, ok, err := view.LastEvent(r, view.Forks, entry.EventFork)
	if err != nil || ok && fork.At.Pos > title.At.Pos {
		return nil, err
	}
	if text, ok := entry.Text(title.Data(), "title"); ok {
		return &text, nil
	}
	return nil, nil
}

// Anchor is an anchor as lists show it.
type Anchor struct {
	Name  string          `json:"name"` // "-" if it has none
	State json.RawMessage `json:"state" type:"object" doc:"state of the anchor, {} if it has none"`
	ID    int64           `json:"id"`
	Date  string          `json:"date"`
	Tape  string          `json:"tape,omitempty"` // if it is of another tape
	URI   string          `json:"uri,omitempty"`  // tape://…, "" if the tape is not in a store
}

// Anchors is the last anchors, in the order of the tape; all if limit is 0.
func (t *Tape) Anchors(limit int) ([]Anchor, error) {
	return ask(t, func(v *view.View) (anchors []Anchor, err error) {
		for f, err := range v.Backwards(view.Anchors, entry.IsAnchor) {
			if err != nil {
				return nil, err
			}
			if anchors = append(anchors, t.anchorOf(&f.Entry)); len(anchors) == limit {
				break
			}
		}
		slices.Reverse(anchors)
		return anchors, nil
	})
}

func (t *Tape) anchorOf(e *Entry) Anchor {
	a := Anchor{Name: e.Name(), State: e.State(), ID: e.ID, Date: e.Date, Tape: e.Source, URI: t.entryURI(e)}
	if !jsontext.IsText(jsontext.Get(e.Payload, "name")) {
		a.Name = "-"
	}
	if a.State == nil {
		a.State = json.RawMessage("{}")
	}
	return a
}

// entryURI is the URI of an entry, "" if the tape is not in a store.
func (t *Tape) entryURI(e *Entry) string {
	if t.bare {
		return ""
	}
	return t.store.RefTo(t.name, *e).String()
}

// RefTo is the URI of an entry of a tape of this store.
func (s *Store) RefTo(tape string, e Entry) Ref {
	return Ref{Workspace: s.options.Workspace, Tape: cmp.Or(e.Source, tape), Entry: &e.ID}
}

// Named is the tape that a reference names, which need not exist. It is
// fs.ErrNotExist for another workspace.
func (s *Store) Named(r Ref) (*Tape, error) {
	switch {
	case r.Workspace == "" || r.Workspace == envelope.Workspace || r.Workspace == s.options.Workspace || r.Workspace == s.GeneratedName():
		return s.Tape(r.Tape)
	case s.options.Workspace == envelope.Workspace:
		return nil, fmt.Errorf("%s: this workspace has no label: %w", r, fs.ErrNotExist)
	}
	return nil, fmt.Errorf("%s: this workspace is %q: %w", r, s.options.Workspace, fs.ErrNotExist)
}

// Resolve is the entry that a reference names: the last entry of the id, or the
// last anchor of the name. It is fs.ErrNotExist for another workspace.
func (s *Store) Resolve(r Ref) (Entry, error) {
	t, err := s.Named(r)
	if err != nil {
		return Entry{}, err
	}
	return ask(t, func(v *view.View) (Entry, error) {
		var f view.Found
		var err error
		switch {
		case v.Own() == nil:
			return Entry{}, fmt.Errorf("%s: no such tape here: %w", r, fs.ErrNotExist)
		case r.Entry != nil:
			f, err = v.Entry(*r.Entry)
		case r.Anchor != nil:
			f, err = v.Anchor(*r.Anchor)
		default:
			return Entry{}, entry.Invalid("%s names a tape, not an entry: add /entry/ID or /anchor/NAME", r)
		}
		if errors.As(err, new(*Error)) {
			err = fmt.Errorf("%s: not found: %w", r, fs.ErrNotExist)
		}
		return f.Entry, err
	})
}

// Recovery is what an agent needs to resume after a crash.
type Recovery struct {
	Tape   string          `json:"tape"`
	Anchor *Anchor         `json:"anchor"` // the last one, nil if there is none
	State  json.RawMessage `json:"state" type:"object" doc:"state of that anchor, {} if it has none"`
	// Intention is what the tape was forked for, nil if it has none.
	Intention json.RawMessage `json:"intention,omitempty" type:"object" doc:"what the tape was forked for; absent if it has none"`
	// Entries are all entries after the anchor.
	Entries []Entry `json:"entries"`
	// Unfinished are tool calls without a result: it is not known whether they
	// were carried out.
	Unfinished []Call `json:"unfinished"`
	// Passed are the lines of the file that could not be read, from 1.
	Passed []int64 `json:"passed,omitempty"`
}

// Recover is where to resume.
func (t *Tape) Recover() (Recovery, error) {
	return ask(t, func(v *view.View) (r Recovery, err error) {
		r = Recovery{Tape: t.name, State: json.RawMessage("{}")}
		s, err := v.Slice(FromLastAnchor())
		if err != nil {
			return r, err
		}
		if s.Boundary != nil {
			a := t.anchorOf(s.Boundary)
			r.Anchor, r.State = &a, a.State
		}
		r.Entries, r.Unfinished = s.Entries, calls.Unfinished(s.Entries)
		intention, ok, err := v.LastWith(view.AnchorKey(entry.AnchorIntention), entry.IsAnchorNamed(entry.AnchorIntention))
		if err != nil {
			return r, err
		}
		if ok {
			r.Intention = intention.State()
		}
		r.Passed, err = v.Unreadable()
		return r, err
	})
}
