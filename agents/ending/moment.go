package ending

import (
	"strconv"
	"strings"
	"time"
)

const monthName = `(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?`

var (
	weekday   = lazy(`(?i)^(mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+(?:at\s+)?`)
	relative  = lazy(`(?i)^(today|tomorrow)\b,?\s*(?:at\s+)?`)
	monthDay  = lazy(`(?i)^` + monthName + `\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?\b`)
	dayMonth  = lazy(`(?i)^(\d{1,2})(?:st|nd|rd|th)?\.?\s+(?:de\s+)?` + monthName + `(?:,?\s+(?:de\s+)?(\d{4}))?\b`)
	isoDate   = lazy(`^(\d{4})-(\d\d)-(\d\d)`)
	between   = lazy(`(?i)^(?:\s*(?:,|at|t|@)\s*)+`)
	clock     = lazy(`(?i)^(?:(\d{1,2})(?::(\d\d))?(?::(\d\d)(?:\.\d+)?)?\s*([ap])\.?m\b\.?|(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?|(noon|midnight)\b)`)
	zoneNamed = lazy(`(?i)^\s*\(?\s*((?:[a-z]+(?:/[a-z0-9_+-]+)+)|z\b|utc\b|gmt(?:[+-]\d{1,2}(?::?\d\d)?)?|utc[+-]\d{1,2}(?::?\d\d)?|[+-]\d\d:?\d\d|[a-z]{2,4}t\b|pacific(?: time)?)`)
	offset    = lazy(`^(?:GMT|UTC)?([+-])(\d{1,2}):?(\d\d)?$`)
)

// date is a day as a message names it. Members that it does not name are zero.
type date struct {
	year, month, day int
	week             string // the first letters of a weekday
	add              int    // days after today
}

// moment reads a date, a time of day and a zone at the beginning of a text: all of them, or a date or
// a time alone.
func moment(text string, now time.Time, zone *time.Location) (time.Time, bool) {
	d, rest := dateOf(text)
	dated := d != date{}
	if dated {
		rest = strings.TrimLeft(between().ReplaceAllString(rest, ""), " ")
	}
	h, m, s, length := clockOf(rest)
	if length == 0 && !dated {
		return time.Time{}, false
	}
	if name := zoneNamed().FindStringSubmatch(rest[length:]); name != nil && length > 0 {
		if z, ok := zoneOf(name[1]); ok {
			zone = z
		}
	}
	return d.at(h, m, s, now.In(zone)), true
}

// dateOf reads a date, and returns the rest of the text.
func dateOf(text string) (d date, rest string) {
	if m := relative().FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
		if strings.EqualFold(m[1], "tomorrow") {
			return date{add: 1}, text
		}
		return date{}, text
	}
	if m := weekday().FindStringSubmatch(text); m != nil {
		d.week, text = strings.ToLower(m[1]), text[len(m[0]):]
	}
	number := func(s string) int { n, _ := strconv.Atoi(s); return n }
	if m := monthDay().FindStringSubmatch(text); m != nil {
		return date{year: number(m[3]), month: monthOf(m[1]), day: number(m[2])}, text[len(m[0]):]
	}
	if m := dayMonth().FindStringSubmatch(text); m != nil {
		return date{year: number(m[3]), month: monthOf(m[2]), day: number(m[1])}, text[len(m[0]):]
	}
	if m := isoDate().FindStringSubmatch(text); m != nil {
		return date{year: number(m[1]), month: number(m[2]), day: number(m[3])}, text[len(m[0]):]
	}
	return d, text
}

func monthOf(name string) int {
	return strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(name))/len("jan") + 1
}

// clockOf reads a time of day; length is 0 if there is none.
func clockOf(text string) (h, m, s, length int) {
	c := clock().FindStringSubmatch(text)
	if c == nil {
		return 0, 0, 0, 0
	}
	number := func(s string) int { n, _ := strconv.Atoi(s); return n }
	switch {
	case strings.EqualFold(c[8], "noon"):
		h = 12
	case c[8] != "":
	case c[4] != "":
		h, m, s = number(c[1])%12, number(c[2]), number(c[3])
		if strings.EqualFold(c[4], "p") {
			h += 12
		}
	default:
		h, m, s = number(c[5]), number(c[6]), number(c[7])
	}
	if h > 23 || m > 59 || s > 59 {
		return 0, 0, 0, 0
	}
	return h, m, s, len(c[0])
}

// at is the moment of a time of day: the next one unless a date is named. Days are added on the
// calendar, because a day of the change to summer time has 23 hours.
func (d date) at(h, m, s int, now time.Time) time.Time {
	year, month, day := now.Date()
	on := func(add int) time.Time { return time.Date(year, month, day+add, h, m, s, 0, now.Location()) }
	switch {
	case d.month > 0 && d.year > 0:
		return time.Date(d.year, time.Month(d.month), d.day, h, m, s, 0, now.Location())
	case d.month > 0:
		return d.near(time.Date(year, time.Month(d.month), d.day, h, m, s, 0, now.Location()), now)
	case d.week != "":
		for add := range 8 {
			if t := on(add); strings.HasPrefix(strings.ToLower(t.Weekday().String()), d.week) && !t.Before(now.Add(-skew)) {
				return t
			}
		}
	case d.add == 0 && on(0).Before(now.Add(-skew)):
		return on(1)
	}
	return on(d.add)
}

// near is the time in the year in which it is nearest to now.
func (d date) near(t, now time.Time) time.Time {
	const half = 183 * 24 * time.Hour
	switch {
	case t.Before(now.Add(-half)):
		return t.AddDate(1, 0, 0)
	case t.After(now.Add(half)):
		return t.AddDate(-1, 0, 0)
	}
	return t
}

// zones are short names that hosts and people use. Others are not known, and some mean several zones.
var zones = map[string]string{"z": "UTC", "utc": "UTC", "gmt": "UTC", "pacific": "America/Los_Angeles", "pacific time": "America/Los_Angeles", "pt": "America/Los_Angeles", "et": "America/New_York"}

// fixed are zones that are one offset, in hours.
var fixed = map[string]int{"pst": -8, "pdt": -7, "mst": -7, "mdt": -6, "cst": -6, "cdt": -5, "est": -5, "edt": -4, "cet": 1, "cest": 2, "bst": 1, "eet": 2, "eest": 3, "jst": 9, "kst": 9, "aest": 10, "aedt": 11}

// zoneOf is the zone with a name.
func zoneOf(name string) (*time.Location, bool) {
	low := strings.ToLower(strings.TrimSpace(name))
	if m := offset().FindStringSubmatch(strings.ToUpper(low)); m != nil {
		h, _ := strconv.Atoi(m[2])
		min, _ := strconv.Atoi(m[3])
		by := h*60 + min
		if m[1] == "-" {
			by = -by
		}
		return time.FixedZone(strings.ToUpper(low), by*60), true
	}
	if hours, ok := fixed[low]; ok {
		return time.FixedZone(strings.ToUpper(low), hours*3600), true
	}
	if full, ok := zones[low]; ok {
		name = full
	}
	z, err := time.LoadLocation(name)
	return z, err == nil
}
