package tape

import (
	"fmt"
	"strings"
	"time"
)

// dateSpan is between two times, both included. A zero one is open.
type dateSpan struct{ from, to time.Time }

func parseSpan(from, to string) (s dateSpan, err error) {
	for _, b := range []struct {
		text string
		end  bool
		t    *time.Time
	}{{from, false, &s.from}, {to, true, &s.to}} {
		if b.text == "" {
			continue
		}
		t, ok := parseTime(b.text, b.end)
		if !ok {
			return s, &Error{Kind: InvalidInput, Message: fmt.Sprintf("Invalid ISO date or datetime: '%s'.", b.text)}
		}
		*b.t = t
	}
	if from != "" && to != "" && s.from.After(s.to) {
		return s, &Error{Kind: InvalidInput, Message: "Start date must be earlier than or equal to end date."}
	}
	return s, nil
}

func (s dateSpan) has(e *Entry) bool {
	if s == (dateSpan{}) {
		return true
	}
	t, ok := e.Time()
	return ok && !t.Before(s.from) && (s.to.IsZero() || !t.After(s.to))
}

// parseTime reads ISO 8601 as Python's fromisoformat does. A date without a
// time is the day's first moment, or its last.
func parseTime(s string, end bool) (t time.Time, ok bool) {
	t, clock, ok := parseDate(s)
	if !ok {
		return time.Time{}, false
	}
	if clock == "" {
		if end {
			t = t.Add(24*time.Hour - time.Microsecond)
		}
		return t, true
	}
	if strings.IndexByte("Tt ", clock[0]) < 0 {
		return time.Time{}, false
	}
	offset, zone, ok := parseClock(clock[1:])
	return t.Add(offset - zone), ok
}

// parseDate reads the date that a text begins with: 2026-02-12 or 20260212, or
// by the week 2026-W07-4 or 2026W074; without its day a week is its Monday.
func parseDate(s string) (day time.Time, rest string, ok bool) {
	year, s := digits(s, 4)
	s, dashed := strings.CutPrefix(s, "-")
	if week, ok := strings.CutPrefix(s, "W"); ok && year > 0 {
		return parseWeek(year, week, dashed)
	}
	month, s := digits(s, 2)
	s, dashedAgain := strings.CutPrefix(s, "-")
	date, rest := digits(s, 2)
	day = time.Date(year, time.Month(month), date, 0, 0, 0, 0, time.UTC)
	ok = dashed == dashedAgain && year > 0 && day.Month() == time.Month(month) && day.Day() == date
	return day, rest, ok
}

// parseWeek reads what stands behind the W of a year.
func parseWeek(year int, s string, dashed bool) (day time.Time, rest string, ok bool) {
	week, rest := digits(s, 2)
	weekday := 1
	if behind := strings.TrimPrefix(rest, "-"); (len(behind) < len(rest)) == dashed && behind != "" && '0' <= behind[0] && behind[0] <= '9' {
		weekday, rest = digits(behind, 1)
	}
	// The fourth of January is always in the first week.
	first := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC)
	first = first.AddDate(0, 0, -(int(first.Weekday())+6)%7)
	day = first.AddDate(0, 0, 7*(week-1)+weekday-1)
	y, w := day.ISOWeek()
	return day, rest, y == year && w == week && 1 <= weekday && weekday <= 7 && day.Year() <= 9999
}

// digits takes a number of n digits off a text; -1 if it does not begin so.
func digits(s string, n int) (int, string) {
	if len(s) < n {
		return -1, s
	}
	number := 0
	for i := range n {
		if s[i] < '0' || s[i] > '9' {
			return -1, s
		}
		number = 10*number + int(s[i]-'0')
	}
	return number, s[n:]
}

// parseClock reads a time of day and its zone: 09:30, 093000.5, 09:30:00+02:00.
func parseClock(s string) (offset, zone time.Duration, ok bool) {
	at := strings.IndexAny(s, "Z+-")
	if at >= 0 && s[at] == 'Z' {
		if at+1 < len(s) {
			return 0, 0, false
		}
		s = s[:at]
	} else if at >= 0 {
		if zone, ok = parseHours(s[at+1:]); !ok || zone >= 24*time.Hour {
			return 0, 0, false
		}
		if s[at] == '-' {
			zone = -zone
		}
		s = s[:at]
	}
	offset, ok = parseHours(s)
	return offset, zone, ok && offset < 24*time.Hour
}

// parseHours reads HH[:MM[:SS[.ffffff]]], with the colons or without.
func parseHours(s string) (d time.Duration, ok bool) {
	s, fraction, hasFraction := cutAny(s, ".,")
	colons := strings.Contains(s, ":")
	parts := 0
	for unit := time.Hour; s != "" && parts < 3; unit /= 60 {
		if len(s) < 2 || s[0] < '0' || s[0] > '9' || s[1] < '0' || s[1] > '9' {
			return 0, false
		}
		n := time.Duration(s[0]-'0')*10 + time.Duration(s[1]-'0')
		if unit != time.Hour && n > 59 {
			return 0, false
		}
		d += n * unit
		parts++
		if s = s[2:]; colons && s != "" {
			if s[0] != ':' || len(s) == 1 {
				return 0, false
			}
			s = s[1:]
		}
	}
	if s != "" || parts == 0 || hasFraction && (parts != 3 || fraction == "") {
		return 0, false
	}
	unit := 100 * time.Millisecond
	for i := range len(fraction) {
		if fraction[i] < '0' || fraction[i] > '9' {
			return 0, false
		}
		if i < 6 { // Python drops the rest
			d += time.Duration(fraction[i]-'0') * unit
			unit /= 10
		}
	}
	return d, true
}

func cutAny(s, chars string) (before, after string, found bool) {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}
