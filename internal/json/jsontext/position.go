package jsontext

import (
	"strings"
	"unicode/utf8"
)

// Position is the line of an offset, from 1, and the offset of the start of that line.
func Position(src string, at int) (line, start int) {
	before := src[:min(max(at, 0), len(src))]
	return 1 + strings.Count(before, "\n"), 1 + strings.LastIndexByte(before, '\n')
}

// FirstInvalid is the offset of the first byte that is not valid UTF-8, -1 if there
// is none.
func FirstInvalid(src []byte) int {
	if utf8.Valid(src) {
		return -1
	}
	at := 0
	for {
		r, size := utf8.DecodeRune(src[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
}
