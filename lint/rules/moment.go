package rules

import (
	"strings"
	"time"

	"handoff"
)

// moment is a time as written in text.
type moment struct {
	text  string
	time  time.Time
	unit  time.Duration // its precision: a second, a minute or a day
	zoned bool          // it has Z, UTC or an offset
}

const day = handoff.Day

// findMoment finds the first date of this century in text, in all forms that
// agents write: 20260212T143022Z, 2026-02-12T14:30:22.5+01:00, 20260212143022,
// 2026-02-12 14:30 UTC, 2026-02-12.
func findMoment(text string) (moment, bool) {
	for at := 0; at < len(text); at++ {
		if !isDigit(text[at]) {
			continue
		}
		s := clock{rest: text[at:]}
		if m, ok := s.read(); ok {
			m.text = text[at : len(text)-len(s.rest)]
			return m, true
		}
		for at < len(text) && isDigit(text[at]) {
			at++
		}
	}
	return moment{}, false
}

// clock reads the parts of a time, from year to zone.
type clock struct{ rest string }

func (c *clock) read() (m moment, ok bool) {
	year, _ := c.number(4)
	dashed := c.skip("-")
	month, _ := c.number(2)
	if dashed && !c.skip("-") {
		return m, false
	}
	date, ok := c.number(2)
	if !ok || year < 2000 || year > 2099 {
		return m, false
	}
	m.unit = day
	hour, minute, second := 0, 0, 0
	if hour, minute, ok = c.hourAndMinute(); ok {
		m.unit = time.Minute
		if second, ok = c.second(); ok {
			m.unit = time.Second
		}
	} else if c.rest != "" && isDigit(c.rest[0]) {
		return m, false // a longer number, not a date
	}
	m.time = time.Date(year, time.Month(month), date, hour, minute, second, 0, time.UTC)
	if int(m.time.Month()) != month || m.time.Day() != date || hour > 23 || minute > 59 || second > 59 {
		return m, false // no such day or time
	}
	if m.unit < day {
		var east time.Duration
		east, m.zoned = c.zone()
		m.time = m.time.Add(-east)
	}
	return m, true
}

// hourAndMinute reads T1430, T14:30, -1430, _1430 and 1430. After a blank it
// reads only 14:30, because another number is probably not a time.
func (c *clock) hourAndMinute() (hour, minute int, ok bool) {
	from := *c
	blank := c.skip(" ")
	if !blank {
		_ = c.skip("T") || c.skip("-") || c.skip("_")
	}
	hour, ok = c.number(2)
	colon := c.skip(":")
	if ok && (colon || !blank) {
		minute, ok = c.number(2)
	} else {
		ok = false
	}
	if !ok {
		*c = from
	}
	return hour, minute, ok
}

// second reads :22 and 22, and ignores a fraction: 22.123, 22123.
func (c *clock) second() (int, bool) {
	from := *c
	c.skip(":")
	second, ok := c.number(2)
	if !ok {
		*c = from
		return 0, false
	}
	fraction := strings.TrimPrefix(c.rest, ".")
	if fraction != "" && isDigit(fraction[0]) {
		c.rest = strings.TrimLeft(fraction, "0123456789")
	}
	return second, true
}

// zone reads Z, " UTC" or an offset, and returns it to the east.
func (c *clock) zone() (east time.Duration, ok bool) {
	if c.skip("Z") || c.skip(" UTC") {
		return 0, true
	}
	from := *c
	sign := time.Duration(1)
	if c.skip("-") {
		sign = -1
	} else if !c.skip("+") {
		return 0, false
	}
	hours, _ := c.number(2)
	c.skip(":")
	minutes, ok := c.number(2)
	if !ok {
		*c = from
		return 0, false
	}
	return sign * (time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute), true
}

func (c *clock) skip(prefix string) (ok bool) {
	c.rest, ok = strings.CutPrefix(c.rest, prefix)
	return ok
}

// number reads exactly so many digits; if there are fewer, it reads nothing.
func (c *clock) number(digits int) (n int, ok bool) {
	if len(c.rest) < digits {
		return 0, false
	}
	for i := range digits {
		if !isDigit(c.rest[i]) {
			return 0, false
		}
		n = n*10 + int(c.rest[i]-'0')
	}
	c.rest = c.rest[digits:]
	return n, true
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
