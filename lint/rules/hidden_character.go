package rules

import (
	"fmt"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"handoff"
	"handoff/lint"
)

// HiddenCharacter flags characters that no reader sees and every agent reads,
// or that make text read otherwise than it is written.
var HiddenCharacter = lint.Rule{
	Name:     "hidden-character",
	Severity: lint.Error,
	Check:    hiddenCharacter,
}

func hiddenCharacter(p *lint.Pass) {
	src := p.Doc.Source
	if binary(p.Doc) {
		return
	}
	for at := 0; ; {
		if at = nextSuspect(src, at); at < 0 {
			return
		}
		r, size := utf8.DecodeRuneInString(src[at:])
		name := hiddenName(r)
		if name == "" || innocent(src, at, r, size) {
			at += size
			continue
		}
		end, count := hiddenRun(src, at)
		more := ""
		if count > 1 {
			more = fmt.Sprintf(" and %d more behind it", count-1)
		}
		reportBytes(p, at, end, fmt.Sprintf("hidden character U+%04X %s%s: take it out", r, name, more))
		at = end
	}
}

// binary reports whether parse found no text at all in a document.
func binary(doc *handoff.Document) bool {
	return len(doc.Problems) > 0 && len(doc.Sections) == 0 && doc.Title.Level == 0 && doc.Preamble.Lines.First == 0
}

// hiddenRun is the end of the hidden characters that stand side by side from
// at on, on one line, and their number.
func hiddenRun(src string, at int) (end, count int) {
	for end = at; end < len(src); count++ {
		r, size := utf8.DecodeRuneInString(src[end:])
		if hiddenName(r) == "" {
			break
		}
		end += size
	}
	return end, count
}

// nextSuspect is the offset of the next byte that can begin a hidden
// character, or -1. Eight bytes are tested at a time: this reads all of every
// document.
func nextSuspect(src string, at int) int {
	for ; at+8 <= len(src); at += 8 {
		w := eightBytes(src, at)
		del := w ^ 0x7f*ones
		for m := (w | below(w, 0x20) | (del-ones)&^del) & high; m != 0; m &= m - 1 {
			if i := at + bits.TrailingZeros64(m)/8; suspect[src[i]] && mayHide(src[i:]) {
				return i
			}
		}
	}
	for ; at < len(src); at++ {
		if suspect[src[at]] && mayHide(src[at:]) {
			return at
		}
	}
	return -1
}

// mayHide tells the hidden characters from arrows, quotation marks and
// formulas, which begin with the same byte and are in most documents.
func mayHide(s string) bool { return s[0] != 0xe2 || len(s) > 1 && s[1] <= 0x81 }

// suspect holds the bytes that hidden characters begin with: the controls
// themselves, and the first byte of the others in UTF-8.
var suspect = [256]bool{
	0x01: true, 0x02: true, 0x03: true, 0x04: true, 0x05: true, 0x06: true, 0x07: true,
	0x08: true, 0x0b: true, 0x0c: true, 0x0e: true, 0x0f: true, 0x10: true, 0x11: true, 0x12: true,
	0x13: true, 0x14: true, 0x15: true, 0x16: true, 0x17: true, 0x18: true, 0x19: true, 0x1a: true,
	0x1b: true, 0x1c: true, 0x1d: true, 0x1e: true, 0x1f: true, 0x7f: true,
	0xc2: true, // U+0080 to U+009F, U+00AD
	0xd8: true, // U+061C
	0xe1: true, // U+115F, U+1160, U+180E
	0xe2: true, // U+200B to U+2069
	0xe3: true, // U+3164
	0xef: true, // U+FEFF, U+FFA0
	0xf3: true, // U+E0000 to U+E01EF
}

// hiddenName is what a hidden character is called, "" for all that can be seen.
// NUL and lone carriage returns are left to parse, which reports them.
func hiddenName(r rune) string {
	switch {
	case r == 0 || r == '\t' || r == '\n' || r == '\r':
		return ""
	case r < 0x20 || 0x7f <= r && r <= 0x9f:
		return "(a control character)"
	case 0xe0000 <= r && r <= 0xe007f:
		return "(a tag character)"
	case 0xe0100 <= r && r <= 0xe01ef:
		return "(a variation selector)"
	}
	for i := range hiddenNames {
		if hiddenNames[i].char == r {
			return hiddenNames[i].name
		}
	}
	return ""
}

// hiddenNames are the Unicode names of single hidden characters.
var hiddenNames = [...]struct {
	char rune
	name string
}{
	{0x00ad, "SOFT HYPHEN"},
	{0x061c, "ARABIC LETTER MARK"},
	{0x115f, "HANGUL FILLER"},
	{0x1160, "HANGUL FILLER"},
	{0x180e, "MONGOLIAN VOWEL SEPARATOR"},
	{0x200b, "ZERO WIDTH SPACE"},
	{0x200c, "ZERO WIDTH NON-JOINER"},
	{0x200d, "ZERO WIDTH JOINER"},
	{0x200e, "LEFT-TO-RIGHT MARK"},
	{0x200f, "RIGHT-TO-LEFT MARK"},
	{0x202a, "LEFT-TO-RIGHT EMBEDDING"},
	{0x202b, "RIGHT-TO-LEFT EMBEDDING"},
	{0x202c, "POP DIRECTIONAL FORMATTING"},
	{0x202d, "LEFT-TO-RIGHT OVERRIDE"},
	{0x202e, "RIGHT-TO-LEFT OVERRIDE"},
	{0x2060, "WORD JOINER"},
	{0x2066, "LEFT-TO-RIGHT ISOLATE"},
	{0x2067, "RIGHT-TO-LEFT ISOLATE"},
	{0x2068, "FIRST STRONG ISOLATE"},
	{0x2069, "POP DIRECTIONAL ISOLATE"},
	{0x3164, "HANGUL FILLER"},
	{0xfeff, "ZERO WIDTH NO-BREAK SPACE"},
	{0xffa0, "HANGUL FILLER"},
}

// innocent reports whether a hidden character does what it is for: the byte
// order mark at the very start, joiners between letters of a script that
// needs them or within an emoji, the tags of a flag.
func innocent(src string, at int, r rune, size int) bool {
	before, _ := utf8.DecodeLastRuneInString(src[:at])
	after, _ := utf8.DecodeRuneInString(src[at+size:])
	switch {
	case r == 0xfeff:
		return at == 0
	case r == 0x200c || r == 0x200d:
		return joins(before) && joins(after) || r == 0x200d && pictures(before) && pictures(after)
	case 0xe0020 <= r && r <= 0xe007f:
		return inFlag(src, at)
	case 0xe0100 <= r && r <= 0xe01ef:
		return unicode.In(before, unicode.Han)
	}
	return false
}

// joins reports whether a letter belongs to a script in which joiners change
// how letters are written.
func joins(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Devanagari, unicode.Bengali,
		unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
		unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// pictures reports whether a character can stand beside the joiner of an emoji.
func pictures(r rune) bool {
	return r == 0xfe0f || 0x1f3fb <= r && r <= 0x1f3ff || r >= 0x2190 && unicode.Is(unicode.So, r)
}

// inFlag reports whether the tag at at belongs to one of the three flags that
// are written with tags: England, Scotland, Wales. Any other text in tags is
// text that nobody sees.
func inFlag(src string, at int) bool {
	start := at
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(src[:start])
		if r < 0xe0020 || r > 0xe007f || at-start > 24 {
			break
		}
		start -= size
	}
	for _, code := range [...]string{"gbeng", "gbsct", "gbwls"} {
		if r, _ := utf8.DecodeLastRuneInString(src[:start]); r == 0x1f3f4 && taggedAs(src[start:], code) {
			return true
		}
	}
	return false
}

func taggedAs(src, code string) bool {
	for _, c := range code + "\x7f" {
		r, size := utf8.DecodeRuneInString(src)
		if r != 0xe0000+c {
			return false
		}
		src = src[size:]
	}
	r, _ := utf8.DecodeRuneInString(src)
	return r < 0xe0000 || r > 0xe007f
}
