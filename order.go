package handoff

import (
	"strings"
	"time"
)

// Order is which of two things is older, as far as it is known.
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

// moments are the forms of a time in names and texts. A layout that ends in Z
// or a zone yields instants.
var moments = [...]struct {
	layout string
	exact  time.Duration
}{
	{time.RFC3339, time.Second},
	{"2006-01-02T15:04Z07:00", time.Minute},
	{"2006-01-02T15:04:05", time.Second},
	{"2006-01-02T15:04", time.Minute},
	{time.DateOnly, Day},
	{Stamp, time.Second},
	{"20060102T1504Z", time.Minute},
	{"20060102T150405", time.Second},
	{"20060102T1504", time.Minute},
	{"20060102150405", time.Second},
	{"20060102", Day},
}

// ParseMoment reads the time at the beginning of a text:
// "2026-02-12T14:30:22Z", "2026-02-12 14:30 UTC", "20260212T143022Z",
// "2026-02-12". Midnight with seconds is read as the whole day, because that is
// what agents write when they only know the date.
func ParseMoment(s string) Moment {
	words := strings.Fields(s)
	if len(words) == 0 {
		return Moment{}
	}
	if len(words) > 1 && len(words[1]) > 2 && words[1][2] == ':' {
		clock := words[0] + "T" + words[1]
		if len(words) > 2 && (words[2] == "UTC" || words[2] == "Z") {
			clock += "Z"
		}
		if m := parseMoment(clock); m.Known() {
			return m
		}
	}
	return parseMoment(strings.TrimRight(words[0], ",;."))
}

func parseMoment(s string) Moment {
	for _, f := range moments {
		t, err := time.Parse(f.layout, s)
		if err != nil {
			continue
		}
		zoned := strings.Contains(f.layout, "Z")
		if t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 && f.exact < Day {
			return Moment{Time: time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC), Unit: Day}
		}
		return Moment{Time: t.UTC(), Unit: f.exact, Zoned: zoned}
	}
	return Moment{}
}
