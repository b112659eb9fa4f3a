package search

import (
	"bytes"
	"strings"

	"handoff/document/brief"
	"handoff/document/task"
)

// gate finds out by the bytes of a document that it cannot be a hit, so that few are parsed.
type gate struct {
	words []string
	low   []byte // of the last document
}

// match reports whether a document may contain all words. It is true if the words that a person reads may not be those of
// the source.
func (g *gate) match(path string, src []byte) bool {
	g.low = lower(g.low[:0], src)
	for _, word := range g.words {
		if ascii(word) && !bytes.Contains(g.low, []byte(word)) && !strings.Contains(fold(path), word) {
			return task.IsJSON(path) || becomesASCII(src) || brief.Joins(string(src))
		}
	}
	return true
}

func ascii(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return r >= 0x80 }) < 0
}

// becomesASCII reports whether a text has one of the two letters beyond ASCII that [fold] makes ones of ASCII.
func becomesASCII(src []byte) bool {
	return bytes.Contains(src, []byte("\u0130")) || bytes.Contains(src, []byte("\u212a"))
}
