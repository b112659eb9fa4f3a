package visible

import (
	"unicode"
	"unicode/utf8"
)

// Name is the name of an invisible character, "" for all others. Tabs and line ends do
// not count as invisible, and NUL is not text.
func Name(r rune) string {
	switch {
	case r == 0 || r == '\t' || r == '\n' || r == '\r':
		return ""
	case r < 0x20 || 0x7f <= r && r <= 0x9f:
		return "(a control character)"
	case 0xe0000 <= r && r <= 0xe007f:
		return "(a tag character)"
	case r < 0xad:
		return ""
	}
	for i := range names {
		if names[i].char == r {
			return names[i].name
		}
	}
	switch {
	case unicode.Is(unicode.Variation_Selector, r):
		return "(a variation selector)"
	case unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return "(an invisible character)"
	}
	return ""
}

// names are the Unicode names of single invisible characters.
var names = [...]struct {
	char rune
	name string
}{
	{0x00ad, "SOFT HYPHEN"},
	{0x034f, "COMBINING GRAPHEME JOINER"},
	{0x061c, "ARABIC LETTER MARK"},
	{0x115f, "HANGUL FILLER"},
	{0x1160, "HANGUL FILLER"},
	{0x180e, "MONGOLIAN VOWEL SEPARATOR"},
	{0x200b, "ZERO WIDTH SPACE"},
	{0x200c, "ZERO WIDTH NON-JOINER"},
	{0x200d, "ZERO WIDTH JOINER"},
	{0x200e, "LEFT-TO-RIGHT MARK"},
	{0x200f, "RIGHT-TO-LEFT MARK"},
	{0x2028, "LINE SEPARATOR"},
	{0x2029, "PARAGRAPH SEPARATOR"},
	{0x202a, "LEFT-TO-RIGHT EMBEDDING"},
	{0x202b, "RIGHT-TO-LEFT EMBEDDING"},
	{0x202c, "POP DIRECTIONAL FORMATTING"},
	{0x202d, "LEFT-TO-RIGHT OVERRIDE"},
	{0x202e, "RIGHT-TO-LEFT OVERRIDE"},
	{0x2060, "WORD JOINER"},
	{0x2061, "FUNCTION APPLICATION"},
	{0x2062, "INVISIBLE TIMES"},
	{0x2063, "INVISIBLE SEPARATOR"},
	{0x2064, "INVISIBLE PLUS"},
	{0x2066, "LEFT-TO-RIGHT ISOLATE"},
	{0x2067, "RIGHT-TO-LEFT ISOLATE"},
	{0x2068, "FIRST STRONG ISOLATE"},
	{0x2069, "POP DIRECTIONAL ISOLATE"},
	{0x3164, "HANGUL FILLER"},
	{0xfeff, "ZERO WIDTH NO-BREAK SPACE"},
	{0xffa0, "HANGUL FILLER"},
	{0xfff9, "INTERLINEAR ANNOTATION ANCHOR"},
	{0xfffa, "INTERLINEAR ANNOTATION SEPARATOR"},
	{0xfffb, "INTERLINEAR ANNOTATION TERMINATOR"},
}

// Innocent reports whether the invisible character r at src[at:], of size bytes, is used
// for its purpose: a byte order mark at the start, a joiner in an emoji or between
// letters of a script that needs it, the variation selector of an emoji or a Han
// character, the tags of a flag.
func Innocent(src string, at int, r rune, size int) bool {
	before, _ := utf8.DecodeLastRuneInString(src[:at])
	after, _ := utf8.DecodeRuneInString(src[at+size:])
	switch {
	case r == 0xfeff:
		return at == 0
	case r == 0x200c || r == 0x200d:
		return joins(before) && joins(after) || r == 0x200d && pictures(before) && pictures(after)
	case r == 0xfe0e || r == 0xfe0f:
		return twoLooks(before, after)
	case 0x180b <= r && r <= 0x180d || r == 0x180f:
		return unicode.Is(unicode.Mongolian, before) && Name(before) == "" // not another selector, which belongs to that script, too
	case 0xe0020 <= r && r <= 0xe007f:
		return inFlag(src, at)
	case 0xe0100 <= r && r <= 0xe01ef:
		return unicode.Is(unicode.Han, before)
	}
	return false
}

// joins reports whether a letter belongs to a script in which joiners change the shape
// of letters.
func joins(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Devanagari, unicode.Bengali,
		unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
		unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan) && Name(r) == ""
}

// pictures reports whether a character may be next to a joiner in an emoji.
func pictures(r rune) bool {
	return r == 0xfe0f || 0x1f3fb <= r && r <= 0x1f3ff || r >= 0x2190 && unicode.Is(unicode.So, r)
}

// twoLooks reports whether a variation selector after a character decides between text
// and picture: for symbols such as ✔ and ☂, and for the digit of a keycap.
func twoLooks(before, after rune) bool {
	switch {
	case after == 0x20e3:
		return '0' <= before && before <= '9' || before == '#' || before == '*'
	case before < 0xa9:
		return false
	case before == 0x203c, before == 0x2049, before == 0x2139, before == 0x3030, before == 0x303d, 0x1f3fb <= before && before <= 0x1f3ff:
		return true
	}
	return unicode.Is(unicode.So, before) || before >= 0x2190 && unicode.Is(unicode.Sm, before)
}

// inFlag reports whether the tag at src[at:] belongs to one of the three flags that use
// tags: England, Scotland, Wales. Any other text in tags is hidden text.
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
