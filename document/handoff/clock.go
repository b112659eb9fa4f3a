package handoff

import (
	"strings"
	"time"
)

// FindMoment finds the first date of this century in a text, in all forms that
// agents write: 20260212T143022Z, 2026-02-12T14:30:22.5+01:00, 20260212143022,
// 2026-02-12 14:30 UTC, 2026-02-12. found is the date as written, "" if there is
// none.
func FindMoment(text string) (m Moment, found string) {
	for at := 0; at < len(text); at++ {
		if !isDigit(text[at]) {
			continue
		}
		c := clock{rest: text[at:]}
		if m, east, ok := c.read(); ok {
			m.Time = m.Time.Add(-east)
			return m, text[at : len(text)-len(c.rest)]
		}
		for at < len(text) && isDigit(text[at]) {
			at++
		}
	}
	return Moment{}, ""
}

// ParseMoment reads the time at the beginning of a text, in one of the forms of
// [FindMoment]; it is zero if there is none. Midnight is read as the whole day,
// because that is what agents write when they only know the date.
func ParseMoment(s string) Moment {
	c := clock{rest: strings.TrimSpace(s)}
	m, east, ok := c.read()
	after := strings.TrimLeft(c.rest, ",;.")
	switch {
	case !ok || after != "" && after[0] != ' ' && after[0] != '\t':
		return Moment{}
	case m.Time.Equal(m.Time.Truncate(Day)):
		return Moment{Time: m.Time, Unit: Day}
	}
	m.Time = m.Time.Add(-east)
	return m
}

// clock reads the parts of a time, from year to zone.
type clock struct{ rest string }

// read reads a time as if its zone were UTC, and how far its zone is east of
// UTC.
func (c *clock) read() (m Moment, east time.Duration, ok bool) {
	year, _ := c.number(4)
	dashed := c.skip("-")
	month, _ := c.number(2)
	if dashed && !c.skip("-") {
		return m, 0, false
	}
	date, ok := c.number(2)
	if !ok || year < 2000 || year > 2099 {
		return m, 0, false
	}
	m.Unit = Day
	hour, minute, ok := c.hourAndMinute()
	second := time.Duration(0)
	if ok {
		m.Unit = time.Minute
		if second, ok = c.second(); ok {
			m.Unit = time.Second
		}
	} else if c.rest != "" && isDigit(c.rest[0]) {
		return m, 0, false // a longer number, not a date
	}
	m.Time = time.Date(year, time.Month(month), date, hour, minute, 0, 0, time.UTC).Add(second)
	if int(m.Time.Month()) != month || m.Time.Day() != date || hour > 23 || minute > 59 || second >= time.Minute {
		return m, 0, false // no such day or time
	}
	if m.Unit < Day {
		east, m.Zoned = c.zone()
	}
	return m, east, true
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
	if colon := c.skip(":"); ok && (colon || !blank) {
		if minute, ok = c.number(2); ok {
			return hour, minute, true
		}
	}
	*c = from
	return 0, 0, false
}

// second reads :22 and 22, with a fraction: 22.123, 22123.
func (c *clock) second() (second time.Duration, ok bool) {
	from := *c
	c.skip(":")
	n, ok := c.number(2)
	if !ok {
		*c = from
		return 0, false
	}
	second = time.Duration(n) * time.Second
	if fraction := strings.TrimPrefix(c.rest, "."); fraction != "" && isDigit(fraction[0]) {
		c.rest = fraction
		for unit := time.Second / 10; c.rest != "" && isDigit(c.rest[0]); unit /= 10 {
			second += time.Duration(c.rest[0]-'0') * unit
			c.rest = c.rest[1:]
		}
	}
	return second, true
}

// zone reads Z, " UTC" or an offset, and returns it to the east.
func (c *clock) zone() (east time.Duration, ok bool) {
	if c.skip("Z") || c.skip(" UTC") || c.skip(" Z") {
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
