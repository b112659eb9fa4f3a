package jsontext

import (
	"strings"
	"unicode/utf8"
)

// Position is the line of an offset, from 1, and the offset at which that line
// begins.
func Position(src string, at int) (line, start int) {
	before := src[:min(max(at, 0), len(src))]
	return 1 + strings.Count(before, "\n"), 1 + strings.LastIndexByte(before, '\n')
}

// FirstInvalid is the offset of the first byte that is not part of UTF-8 text;
// -1 for none.
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
