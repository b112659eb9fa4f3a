// Package say has the words in which every surface says the same things to people: how long
// something takes, how long ago it was, how many there are, and a text that is too long. So the
// command line, the dashboard and top never say it differently.
//
// The package does not know what the things are, and makes no text safe: see packages visible
// and inert.
package say

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const day = 24 * time.Hour

// Span is a duration in its largest unit: "<1m" (also for one below 0), "59m", "47h", "2d".
func Span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "<1m"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < 2*day:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return Number(int(d/day)) + "d"
}

// Ago is how long ago something was: "now", if that is under a minute, else "5m ago".
func Ago(d time.Duration) string {
	if d < time.Minute {
		return "now"
	}
	return Span(d) + " ago"
}

// Number is a number with thousands apart: "31,000".
func Number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Noun is a noun for a number: "line" for 1, else "lines", "entries".
func Noun[N ~int | ~int64 | ~uint64](n N, noun string) string {
	if n == 1 {
		return noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.HasSuffix(stem, "a") && !strings.HasSuffix(stem, "e") {
		return stem + "ies"
	}
	return noun + "s"
}

// Count is a number with thousands apart and its noun: "1 line", "2,000 entries".
func Count[N ~int | ~int64 | ~uint64](n N, noun string) string {
	return Number(int(n)) + " " + Noun(n, noun)
}

// Kilo is a number in thousands, if it has any: "999", "31k".
func Kilo(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return strconv.Itoa(n/1000) + "k"
}

// Clip is the beginning of a text of at most some bytes, in whole characters, and "…" if
// something is left out. What is not UTF-8 where it is cut is left out, too.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return Head(s, most) + "…"
}

// Head is Clip without the sign.
func Head(s string, most int) string {
	return strings.ToValidUTF8(s[:min(len(s), most)], "")
}

// Chars is the beginning of a text of at most some characters, of which the last is "…" if
// something is left out.
func Chars(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:max(most-1, 0)]) + "…"
}

// Line is a text on one line, with single blanks.
func Line(s string) string { return strings.Join(strings.Fields(s), " ") }
