package handoff

import (
	"math/bits"

	"handoff/internal/text/eight"
)

// Foreign reports whether the source has a letter that English has not: with an accent, or of another script. It is known once
// the document is made, because many rules ask.
func (d *Document) Foreign() bool { return d.foreign }

// foreign looks only at the bytes that are not ASCII. The signs × and ÷, as in "10×", are between the letters with accents.
func foreign(text string) bool {
	at := 0
	for ; at+8 <= len(text); at += 8 {
		for m := eight.Bytes(text, at) & eight.High; m != 0; m &= m - 1 {
			if foreignAt(text, at+bits.TrailingZeros64(m)/8) {
				return true
			}
		}
	}
	for ; at < len(text); at++ {
		if foreignAt(text, at) {
			return true
		}
	}
	return false
}

// foreignAt reports whether a byte begins such a letter.
func foreignAt(text string, at int) bool {
	const signs = 0xc3 // begins × and ÷, and letters
	switch c := text[at]; {
	case c == signs:
		return at+1 == len(text) || text[at+1] != "×"[1] && text[at+1] != "÷"[1]
	default:
		return c == 0xd0 || c == 0xd1 || 0xe3 <= c && c <= 0xed
	}
}
