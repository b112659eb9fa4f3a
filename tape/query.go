package tape

import (
	"iter"
	"slices"
)

// Window says between which anchors entries are wanted. Its zero value wants
// the whole tape.
type Window struct {
	mode       windowMode
	start, end string
}

type windowMode uint8

const (
	whole windowMode = iota
	afterLast
	afterNamed
	betweenNamed
)

// FromLastAnchor begins behind the last anchor.
func FromLastAnchor() Window { return Window{mode: afterLast} }

// AfterAnchor begins behind the last anchor of that name; those of other names
// that come later are within it. "" stands for the whole tape, as for Bub.
func AfterAnchor(name string) Window {
	if name == "" {
		return Window{}
	}
	return Window{mode: afterNamed, start: name}
}

// BetweenAnchors begins behind the last anchor named start, and ends before
// the first one behind it that is named end.
func BetweenAnchors(start, end string) Window {
	return Window{mode: betweenNamed, start: start, end: end}
}

// Bounds tells what a window was made of: last for [FromLastAnchor], or the names
// of the anchors that were given.
func (w Window) Bounds() (last bool, start, end *string) {
	switch w.mode {
	case afterLast:
		return true, nil, nil
	case afterNamed:
		return false, &w.start, nil
	case betweenNamed:
		return false, &w.start, &w.end
	}
	return false, nil, nil
}

// Query says which entries are wanted. Its parts are applied in this order;
// the zero value of each leaves all of them.
type Query struct {
	Window Window
	// FromID begins with the last entry of that id; where there is none, with
	// the first behind whose id is larger.
	FromID *int64
	// From and To are ISO 8601, both included. A date without a time stands
	// for the whole of that day; what has no zone is UTC. Entries without a
	// readable date are left out.
	From, To string
	// Text has to stand in kind, date, payload or meta, in any case.
	Text  string
	Kinds []string
	// Limit keeps so many of the first entries; one below 0 leaves out so many
	// of the last.
	Limit *int
}

// Query goes through the entries that are wanted, of those that are there when
// it begins. An error ends it: [Error] if an anchor is missing, or a date is
// none. A tape that is not there has no entries.
func (t *Tape) Query(q Query) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		v, err := t.view()
		if err != nil {
			yield(Entry{}, err)
			return
		}
		defer v.close()
		v.query(q, yield)
	}
}

// All are the entries of a query at once.
func (t *Tape) All(q Query) ([]Entry, error) { return collect(t.Query(q)) }

func collect(seq iter.Seq2[Entry, error]) (entries []Entry, err error) {
	for e, err := range seq {
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func (v *view) query(q Query, yield func(Entry, error) bool) {
	after, before, err := v.begin(q)
	var c choice
	if err == nil {
		c, err = q.choice()
	}
	if err != nil {
		yield(Entry{}, err)
		return
	}
	fits := func() func(*Entry) bool { // it remembers where the query begins
		c := c
		return c.has
	}
	limited(v.between(after, before), fits, q.Limit, yield)
}

// choice is what a query says of single entries.
type choice struct {
	query Query
	span  dateSpan
	text  needle
	begun bool // the id from which the query begins was reached
}

func (q Query) choice() (choice, error) {
	span, err := parseSpan(q.From, q.To)
	return choice{query: q, span: span, text: newNeedle(q.Text), begun: q.FromID == nil}, err
}

func (c *choice) has(e *Entry) bool {
	c.begun = c.begun || e.ID >= *c.query.FromID
	return c.begun && c.span.has(e) && c.text.inEntry(e) && (len(c.query.Kinds) == 0 || slices.Contains(c.query.Kinds, e.Kind))
}

// begin is between which entries a query looks; what stands before the id from
// which it begins may be among them.
func (v *view) begin(q Query) (after, before *spot, err error) {
	after, before, err = v.window(q.Window)
	if err != nil || q.FromID == nil {
		return after, before, err
	}
	for _, id := range []int64{*q.FromID, *q.FromID - 1} { // or who has read so far goes on
		f, ok, err := v.lastWith(idKey(id), func(e *Entry) bool { return e.ID == id })
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			continue
		}
		at := &f.spot
		if id == *q.FromID {
			at, err = v.previous(f.spot)
		}
		if at != nil && (after == nil || after.before(*at)) {
			after = at
		}
		return after, before, err
	}
	return after, before, nil
}

// previous is the spot before another, nil at the beginning.
func (v *view) previous(s spot) (*spot, error) {
	if s.part > 0 {
		s.part--
		return &s, nil
	}
	for s.pos <= v.segments[s.segment].first {
		if s.segment == 0 {
			return nil, nil
		}
		s.segment--
		s.pos = v.segments[s.segment].last + 1
	}
	s.pos--
	entries, err := v.at(s.segment, s.pos)
	s.part = len(entries) - 1
	return &s, err
}

// limited passes on what fits, up to a limit as Python's slices have it. All but
// the last can be said only of what was counted: seq is gone through twice, as
// what may be among the last may not fit into memory.
func limited(seq iter.Seq2[Entry, error], fits func() func(*Entry) bool, limit *int, yield func(Entry, error) bool) {
	most := -1
	if limit != nil && *limit >= 0 {
		most = *limit
	} else if limit != nil {
		n, err := countOf(seq, fits())
		if err != nil {
			yield(Entry{}, err)
			return
		}
		most = max(0, n+*limit)
	}
	if most == 0 {
		return
	}
	given, has := 0, fits()
	for e, err := range seq {
		if err != nil {
			yield(Entry{}, err)
			return
		}
		if !has(&e) {
			continue
		}
		if given++; !yield(e, nil) || given == most {
			return
		}
	}
}

func countOf(seq iter.Seq2[Entry, error], fits func(*Entry) bool) (n int, err error) {
	for e, err := range seq {
		if err != nil {
			return n, err
		}
		if fits(&e) {
			n++
		}
	}
	return n, nil
}

// window finds the anchors between which it lies.
func (v *view) window(w Window) (after, before *spot, err error) {
	if w.mode == whole {
		return nil, nil, nil
	}
	start, err := v.anchorFor(w)
	if err != nil || w.mode != betweenNamed {
		return &start.spot, nil, err
	}
	end, ok, err := v.firstWith(anchorKey(w.end), start.spot, isAnchorNamed(w.end))
	if err == nil && !ok {
		err = noAnchor(w.end)
	}
	return &start.spot, &end.spot, err
}

// anchorFor is the anchor that a window begins behind.
func (v *view) anchorFor(w Window) (f found, err error) {
	ok := false
	if w.mode == afterLast {
		if f, ok, err = v.last(listAnchors, isAnchor); err == nil && !ok {
			err = noAnchors()
		}
		return f, err
	}
	if f, ok, err = v.lastWith(anchorKey(w.start), isAnchorNamed(w.start)); err == nil && !ok {
		err = noAnchor(w.start)
	}
	return f, err
}
