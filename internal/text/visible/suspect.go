package visible

import (
	"math/bits"
	"strings"
	"unicode/utf8"

	"handoff/internal/text/eight"
)

// Cleans reports whether [Model] may change a text, which is fast to say: false for most texts.
func Cleans(s string) bool {
	if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 || strings.Count(s, "\r") != strings.Count(s, "\r\n") {
		return true
	}
	for at := 0; ; {
		if at = Suspect(s, at); at < 0 {
			return false
		}
		r, size := utf8.DecodeRuneInString(s[at:])
		if Name(r) != "" {
			return true
		}
		at += size
	}
}

// Suspect is the offset of the next byte that can begin a hidden character,
// or -1. It tests eight bytes at a time, because it reads every byte of every
// document.
func Suspect(src string, at int) int {
	for ; at+8 <= len(src); at += 8 {
		w := eight.Bytes(src, at)
		del := w ^ 0x7f*eight.Ones
		for m := (w | eight.Below(w, 0x20) | (del-eight.Ones)&^del) & eight.High; m != 0; m &= m - 1 {
			if i := at + bits.TrailingZeros64(m)/8; suspects[src[i]] && mayHide(src[i:]) {
				return i
			}
		}
	}
	for ; at < len(src); at++ {
		if suspects[src[at]] && mayHide(src[at:]) {
			return at
		}
	}
	return -1
}

// mayHide excludes arrows, quotation marks, formulas and pictures, which begin
// with the same bytes as hidden characters and are in most documents.
func mayHide(s string) bool {
	if len(s) < 2 {
		return s[0] < 0x80
	}
	switch s[0] {
	case 0xe2:
		return s[1] <= 0x81
	case 0xf0:
		return s[1] == 0x91 || s[1] == 0x93 || s[1] == 0x9b || s[1] == 0x9d
	}
	return true
}

// suspects are the bytes that hidden characters begin with: control characters,
// and the first UTF-8 byte of the others.
var suspects = [256]bool{
	0x01: true, 0x02: true, 0x03: true, 0x04: true, 0x05: true, 0x06: true, 0x07: true,
	0x08: true, 0x0b: true, 0x0c: true, 0x0e: true, 0x0f: true, 0x10: true, 0x11: true, 0x12: true,
	0x13: true, 0x14: true, 0x15: true, 0x16: true, 0x17: true, 0x18: true, 0x19: true, 0x1a: true,
	0x1b: true, 0x1c: true, 0x1d: true, 0x1e: true, 0x1f: true, 0x7f: true,
	0xc2: true, // U+0080 to U+009F, U+00AD
	0xcd: true, // U+034F
	0xd8: true, // U+061C
	0xdc: true, // U+070F
	0xe1: true, // U+115F, U+1160, U+17B4, U+17B5, U+180B to U+180F
	0xe2: true, // U+200B to U+206F
	0xe3: true, // U+3164
	0xef: true, // U+FE00 to U+FE0F, U+FEFF, U+FFA0, U+FFF0 to U+FFFB
	0xf0: true, // U+13430 and on, U+1BCA0 and on, U+1D173 and on
	0xf3: true, // U+E0000 to U+E0FFF
}
