package prose

import (
	"strconv"
	"strings"

	"handoff/internal/text/say"
	"handoff/internal/text/visible"
)

// TrimLeft is strings.TrimLeft for a few ASCII bytes. strings.TrimLeft builds a table
// first, which takes most of its time if there is little to cut, as at nearly every
// word of a document.
func TrimLeft(s, cut string) string {
	for s != "" && strings.IndexByte(cut, s[0]) >= 0 {
		s = s[1:]
	}
	return s
}

// TrimRight is strings.TrimRight for a few ASCII bytes.
func TrimRight(s, cut string) string {
	for s != "" && strings.IndexByte(cut, s[len(s)-1]) >= 0 {
		s = s[:len(s)-1]
	}
	return s
}

// Trim is strings.Trim for a few ASCII bytes.
func Trim(s, cut string) string { return TrimRight(TrimLeft(s, cut), cut) }

// OneLine is a text on one line, without control characters and invisible characters.
func OneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if visible.Escaped(c) {
			return -1
		}
		return c
	}, strings.Join(strings.Fields(s), " "))
}

// Count is say.Count without commas in the number: "1 line", "2 lines", "2 entries".
func Count(n int, noun string) string {
	return strconv.Itoa(n) + " " + say.Noun(n, noun)
}
