package handoff

import (
	"time"
)

// Order tells which of two things is older, as far as that is known.
type Order int8

// The orders of a to b.
const (
	Older     Order = -1 // a is older than b
	Unordered Order = 0  // unknown, or the same time
	Newer     Order = 1  // a is newer than b
)

// Known reports whether there is a time.
func (m Moment) Known() bool { return !m.Time.IsZero() }

// Compare orders two moments. They are Unordered if they overlap: a day and an
// hour of that day, or a clock without a zone and an instant half a day later.
// Two clocks without a zone are assumed to be in the same zone.
func (m Moment) Compare(o Moment) Order {
	if !m.Known() || !o.Known() {
		return Unordered
	}
	if m.Zoned != o.Zoned {
		m, o = m.instants(), o.instants()
	}
	switch {
	case !m.Time.Add(m.Unit).After(o.Time):
		return Older
	case !o.Time.Add(o.Unit).After(m.Time):
		return Newer
	}
	return Unordered
}

// sameSecond reports whether two times are the same, to the second.
func (m Moment) sameSecond(o Moment) bool {
	return m.Known() && m.Unit == time.Second && m == o && !m.Time.Equal(m.Time.Truncate(Day))
}

// instants is all times that m can mean, in any zone.
func (m Moment) instants() Moment {
	if m.Zoned {
		return m
	}
	from := m.Earliest()
	return Moment{Time: from, Unit: m.Latest().Sub(from) + time.Second, Zoned: true}
}

// narrow combines two statements about the same time: the more precise one if
// they agree, otherwise everything between them.
func (m Moment) narrow(o Moment) Moment {
	if !m.Known() {
		return o
	}
	if !o.Known() {
		return m
	}
	a, b := m.instants(), o.instants()
	if m.Compare(o) != Unordered {
		if b.Time.Before(a.Time) {
			a, b = b, a
		}
		return Moment{Time: a.Time, Unit: max(a.Unit, b.Time.Add(b.Unit).Sub(a.Time)), Zoned: true}
	}
	if b.Unit < a.Unit {
		return o
	}
	return m
}
