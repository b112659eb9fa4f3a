package entry

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Span is a range of time, both ends included. A zero end is open.
type Span struct{ from, to time.Time }

// ParseSpan reads two ISO 8601 dates, each of which may be "". A date without a
// time is the whole day. The error is an [Error].
func ParseSpan(from, to string) (s Span, err error) {
	if s.from, err = boundary(from, false); err != nil {
		return s, err
	}
	if s.to, err = boundary(to, true); err != nil {
		return s, err
	}
	if from != "" && to != "" && s.from.After(s.to) {
		return s, &Error{Kind: InvalidInput, Message: "Start date must be earlier than or equal to end date."}
	}
	return s, nil
}

func boundary(text string, end bool) (t time.Time, err error) {
	t, ok := ParseTime(text, end)
	if text != "" && !ok {
		err = &Error{Kind: InvalidInput, Message: fmt.Sprintf("Invalid ISO date or datetime: '%s'.", text)}
	}
	return t, err
}

// Has reports whether the entry's date is in the span. An entry without a valid
// date is only in a span that is open at both ends.
func (s Span) Has(e *Entry) bool {
	if s == (Span{}) {
		return true
	}
	t, ok := e.Time()
	return ok && !t.Before(s.from) && (s.to.IsZero() || !t.After(s.to))
}

// ParseTime reads ISO 8601 as Python's fromisoformat does. A date without a
// time is the first microsecond of the day, or the last if end is set. A time
// without a zone is UTC.
func ParseTime(s string, end bool) (t time.Time, ok bool) {
	at := strings.IndexAny(s, "Tt ")
	if at < 0 {
		if t, ok = parseDate(s); ok && end {
			t = t.Add(24*time.Hour - time.Microsecond)
		}
		return t, ok
	}
	if t, ok = parseDate(s[:at]); !ok {
		return time.Time{}, false
	}
	clock, zone, sign := s[at+1:], time.Duration(0), time.Duration(1)
	if at := strings.IndexAny(clock, "Z+-"); at >= 0 {
		mark, rest := clock[at], clock[at+1:]
		if mark == '-' {
			sign = -1
		}
		if zone, ok = parseClock(rest); mark == 'Z' {
			zone, ok = 0, rest == ""
		}
		clock = clock[:at]
	}
	offset, valid := parseClock(clock)
	return t.Add(offset - sign*zone), ok && valid
}

// parseDate reads 2026-02-12, 20260212, 2026-W07-4, 2026W074 or 2026-W07, which
// is the Monday of that week.
func parseDate(s string) (day time.Time, ok bool) {
	year, week, byWeek := strings.Cut(s, "W")
	if byWeek {
		return parseWeek(year, week)
	}
	layout := "20060102"
	if len(s) == len(time.DateOnly) {
		layout = time.DateOnly
	}
	day, err := time.Parse(layout, s)
	return day, err == nil && day.Year() > 0
}

// parseWeek reads a year, which ends with a dash if the day does so after the
// week.
func parseWeek(year, s string) (monday time.Time, ok bool) {
	year, dashed := strings.CutSuffix(year, "-")
	week, weekday := s[:min(2, len(s))], s[min(2, len(s)):]
	switch rest, dash := strings.CutPrefix(weekday, "-"); {
	case weekday == "":
		weekday = "1"
	case dash != dashed || rest == "":
		return time.Time{}, false
	default:
		weekday = rest
	}
	y, yearOK := number(year, 4)
	w, weekOK := number(week, 2)
	d, dayOK := number(weekday, 1)
	// The fourth of January is always in the first week.
	first := time.Date(y, 1, 4, 0, 0, 0, 0, time.UTC)
	first = first.AddDate(0, 0, -(int(first.Weekday())+6)%7)
	day := first.AddDate(0, 0, 7*(w-1)+d-1)
	isoYear, isoWeek := day.ISOWeek()
	return day, yearOK && weekOK && dayOK && y > 0 && isoYear == y && isoWeek == w && 1 <= d && d <= 7 && day.Year() <= 9999
}

// number reads a number of exactly n digits.
func number(s string, n int) (int, bool) {
	value, err := strconv.ParseUint(s, 10, 16)
	return int(value), err == nil && len(s) == n
}

// parseClock reads a time of day, or the offset of a zone: 09:30, 093000.5,
// 09:30:00. As in Python, digits after the microseconds are dropped.
func parseClock(s string) (time.Duration, bool) {
	whole := s
	if at := strings.IndexAny(s, ".,"); at >= 0 {
		whole = s[:at]
	}
	for _, layout := range []string{"15:04:05", "15:04", "15", "150405", "1504"} {
		if len(whole) == len(layout) {
			t, err := time.Parse(layout, s)
			return t.Sub(t.Truncate(24 * time.Hour)).Truncate(time.Microsecond), err == nil
		}
	}
	return 0, false
}

// FormatTime writes a time as Python's isoformat does: in UTC, with microseconds
// only if there are any.
func FormatTime(t time.Time) string {
	t = t.UTC()
	if t.Nanosecond()/1000 == 0 {
		return t.Format("2006-01-02T15:04:05+00:00")
	}
	return t.Format("2006-01-02T15:04:05.000000+00:00")
}

// unixDate is the date of a Unix time, rounded as Python does; 1970 for what is
// not a time, as in Bub.
func unixDate(timestamp string) string {
	seconds, err := strconv.ParseFloat(timestamp, 64)
	if err != nil || math.Abs(seconds) > 1<<37 {
		return FormatTime(time.Unix(0, 0))
	}
	whole, part := math.Modf(seconds)
	t := time.Unix(int64(whole), int64(math.RoundToEven(part*1e6))*1000)
	if y := t.UTC().Year(); y < 1 || y > 9999 {
		return FormatTime(time.Unix(0, 0))
	}
	return FormatTime(t)
}
