package handoff

import (
	"fmt"
	"strings"
	"time"
)

// The offsets from UTC that are in use.
const (
	farWest = -12 * time.Hour
	farEast = 14 * time.Hour
)

// Moment is a time as written in a name: perhaps without a zone, or without a
// time of day.
type Moment struct {
	Time  time.Time     // a time without a zone as if it were UTC
	Unit  time.Duration // its precision: a second, a minute or a day
	Zoned bool          // it has a zone, so Time is exact
}

// Day is the Unit of a date.
const Day = 24 * time.Hour

// Moment is the time in the name; ok is false if there is none.
func (n Name) Moment() (m Moment, ok bool) {
	m = Moment{n.Time, time.Second, n.Zoned()}
	switch {
	case !n.Class.HasClock():
		m.Unit, m.Zoned = Day, false
	case n.Class == Minutes:
		m.Unit = time.Minute
	}
	return m, !n.Time.IsZero()
}

// Earliest is the earliest time that m can mean. A time without a zone can be
// in any zone.
func (m Moment) Earliest() time.Time {
	if m.Zoned {
		return m.Time
	}
	return m.Time.Add(-farEast)
}

// Latest is the latest second that m can mean.
func (m Moment) Latest() time.Time {
	last := m.Time.Add(m.Unit - time.Second)
	if m.Zoned {
		return last
	}
	return last.Add(-farWest)
}

// String is the time in the form of RFC 3339, only as precise as it was
// written: "2026-02-12T14:30:22Z", "2026-02-12T14:30", "2026-02-12".
func (m Moment) String() string {
	layout := time.DateOnly
	switch m.Unit {
	case time.Second:
		layout = "2006-01-02T15:04:05"
	case time.Minute:
		layout = "2006-01-02T15:04"
	}
	if m.Zoned {
		layout += "Z"
	}
	return m.Time.UTC().Format(layout)
}

// MarshalText is String.
func (m Moment) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (m *Moment) UnmarshalText(text []byte) error {
	digits, zoned := strings.CutSuffix(string(text), "Z")
	for _, form := range []struct {
		layout string
		unit   time.Duration
	}{{"2006-01-02T15:04:05", time.Second}, {"2006-01-02T15:04", time.Minute}, {time.DateOnly, Day}} {
		if t, err := time.Parse(form.layout, digits); err == nil && len(digits) == len(form.layout) {
			*m = Moment{t, form.unit, zoned}
			return nil
		}
	}
	return fmt.Errorf("%w: %q: want a time like 2026-02-12T14:30:22Z, or a part of one", ErrInvalid, text)
}
