package view

import (
	"iter"
	"math"
	"slices"

	"handoff/log/tape/entry"
)

// Query selects entries. Its parts are applied in this order; the zero value of
// each selects all.
type Query struct {
	Window Window
	// FromID starts with the last entry of that id, else with the first later
	// one whose id is larger.
	FromID *int64
	// From and To are ISO 8601 dates, both included. A date without a time is
	// the whole day; without a zone it is UTC. Entries without a valid date are
	// left out.
	From, To string
	// Text is a text in kind, date, payload or meta, ignoring case.
	Text  string
	Kinds []string
	// Limit is how many of the first entries are wanted; a negative limit is how
	// many of the last are left out.
	Limit *int
}

// Filter decides which entries of a query's window are wanted. It is stateful:
// entries must be given in order.
type Filter struct {
	Started bool // the id that the query starts from was reached
	query   Query
	span    entry.Span
	text    matcher
}

// Filter is the query's. An invalid date is an [entry.Error].
func (q Query) Filter() (Filter, error) {
	span, err := entry.ParseSpan(q.From, q.To)
	return Filter{query: q, span: span, text: matcher{text: fold(q.Text)}, Started: q.FromID == nil}, err
}

// Has reports whether an entry is wanted.
func (f *Filter) Has(e *entry.Entry) bool {
	f.Started = f.Started || e.ID >= *f.query.FromID
	return f.Started && f.span.Has(e) && f.text.inEntry(e) && (len(f.query.Kinds) == 0 || slices.Contains(f.query.Kinds, e.Kind))
}

// Query goes through the selected entries. An error ends it: an [entry.Error]
// if an anchor is missing or a date is not valid.
func (v *View) Query(q Query, yield func(entry.Entry, error) bool) {
	r, err := v.Start(q)
	var f Filter
	if err == nil {
		f, err = q.Filter()
	}
	limit := math.MaxInt
	if q.Limit != nil {
		limit = *q.Limit
	}
	if err == nil && limit < 0 {
		// Counted first: the entries that may be among the last do not fit into
		// memory.
		counted, n := f, 0
		Take(v.Entries(r), counted.Has, math.MaxInt, func(_ entry.Entry, e error) bool {
			n, err = n+1, e
			return true
		})
		limit = max(0, n+limit)
	}
	if err != nil {
		yield(entry.Entry{}, err)
		return
	}
	Take(v.Entries(r), f.Has, limit, yield)
}

// Start is the range that a query reads. Entries before the query's first id may
// be in it.
func (v *View) Start(q Query) (Range, error) {
	r, _, err := v.Window(q.Window)
	if err != nil || q.FromID == nil {
		return r, err
	}
	for _, id := range []int64{*q.FromID, *q.FromID - 1} { // the second is of a reader that continues
		f, ok, err := v.LastWith(IDKey(id), hasID(id))
		if err != nil {
			return r, err
		}
		if !ok {
			continue
		}
		from := f.Spot
		if id != *q.FromID {
			from = from.Next()
		}
		if r.From.Before(from) {
			r.From = from
		}
		return r, nil
	}
	return r, nil
}

// Take passes on the first entries that are wanted, up to a limit.
func Take(seq iter.Seq2[entry.Entry, error], has func(*entry.Entry) bool, limit int, yield func(entry.Entry, error) bool) {
	if limit == 0 {
		return
	}
	n := 0
	for e, err := range seq {
		if err == nil && !has(&e) {
			continue
		}
		if n++; !yield(e, err) || err != nil || n == limit {
			return
		}
	}
}
