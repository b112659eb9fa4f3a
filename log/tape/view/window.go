package view

import (
	"errors"

	"handoff/log/tape/entry"
)

// Window is the entries between two anchors. The zero value is the whole tape.
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

// FromLastAnchor starts after the last anchor.
func FromLastAnchor() Window { return Window{mode: afterLast} }

// AfterAnchor starts after the last anchor of that name, and includes later
// anchors of other names. "" is the whole tape, as in Bub.
func AfterAnchor(name string) Window {
	if name == "" {
		return Window{}
	}
	return Window{mode: afterNamed, start: name}
}

// BetweenAnchors starts after the last anchor named start, and ends before the
// next one named end.
func BetweenAnchors(start, end string) Window {
	return Window{mode: betweenNamed, start: start, end: end}
}

// Bounds is what the window was made of: last for [FromLastAnchor], else the
// names of the anchors, nil if not given.
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

// HasEnd reports whether the window ends at an anchor.
func (w Window) HasEnd() bool { return w.mode == betweenNamed }

// Window finds a window. boundary is the anchor that it starts after, nil if
// there is none. A missing anchor is an [entry.Error].
func (v *View) Window(w Window) (r Range, boundary *entry.Entry, err error) {
	r = All()
	if w.mode == whole {
		return r, nil, nil
	}
	start, err := v.start(w)
	if err != nil {
		return r, nil, err
	}
	r.From = start.Spot.Next()
	if w.mode == betweenNamed {
		end, ok, err := v.FirstWith(AnchorKey(w.end), r.From, entry.IsAnchorNamed(w.end))
		if err == nil && !ok {
			err = entry.NoAnchor(w.end)
		}
		if err != nil {
			return r, nil, err
		}
		r.To = end.Spot
	}
	return r, &start.Entry, nil
}

// start is the anchor that a window starts after.
func (v *View) start(w Window) (Found, error) {
	if w.mode == afterLast {
		f, ok, err := v.Last(Anchors, entry.IsAnchor)
		if err == nil && !ok {
			err = entry.NoAnchors()
		}
		return f, err
	}
	return v.Anchor(w.start)
}

// Anchor is the last anchor of that name; a missing one is an [entry.Error].
func (v *View) Anchor(name string) (Found, error) {
	f, ok, err := v.LastWith(AnchorKey(name), entry.IsAnchorNamed(name))
	if err == nil && !ok {
		err = entry.NoAnchor(name)
	}
	return f, err
}

// Entry is the last entry of that id; a missing one is an [entry.Error].
func (v *View) Entry(id int64) (Found, error) {
	f, ok, err := v.LastWith(IDKey(id), hasID(id))
	if err == nil && !ok {
		err = entry.NoEntry(id)
	}
	return f, err
}

func hasID(id int64) func(*entry.Entry) bool {
	return func(e *entry.Entry) bool { return e.ID == id }
}

// Slice is the part of a tape that a model sees.
type Slice struct {
	Boundary *entry.Entry // the anchor that it starts after, nil if there is none
	Entries  []entry.Entry
}

// Slice is the entries of a window. With [FromLastAnchor] a tape without
// anchors is included whole.
func (v *View) Slice(w Window) (s Slice, err error) {
	r, boundary, err := v.sliceRange(w)
	if err != nil {
		return Slice{}, err
	}
	s.Boundary = boundary
	s.Entries, err = Collect(v.Entries(r))
	return s, err
}

// SliceBytes is the length of a slice's lines, without reading them.
func (v *View) SliceBytes(w Window) (int64, error) {
	r, _, err := v.sliceRange(w)
	if err != nil {
		return 0, err
	}
	return v.Bytes(r)
}

func (v *View) sliceRange(w Window) (Range, *entry.Entry, error) {
	r, boundary, err := v.Window(w)
	if w.mode == afterLast && errors.As(err, new(*entry.Error)) {
		return r, nil, nil
	}
	return r, boundary, err
}
