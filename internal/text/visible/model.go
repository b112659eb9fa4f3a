package visible

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Model makes text safe for a model, which reads characters that no person sees. Tags,
// zero-width characters and variation selectors are removed; Unicode line and
// paragraph separators become blanks; removed is the number of both. Control
// characters, bytes that are not UTF-8 and characters that reverse the direction of
// writing are escaped as in [Text], because removing them would change how the words
// around them read. Line ends and tabs stay, and so do joiners in words and emoji that
// need them.
func Model(s string) (clean string, removed int) {
	if !needsCleaning(s) {
		return s, 0
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = appendByte(b, s[i])
		case r == '\n' || r == '\t' || r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			b = append(b, s[i])
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			b = appendRune(b, r)
		case r == 0x2028 || r == 0x2029: // they separate words
			b = append(b, ' ')
			removed++
		case unseen(s, i, r, size):
			removed++
		default:
			b = append(b, s[i:i+size]...)
		}
		i += size
	}
	return string(b), removed
}

// unseen reports whether to remove a character. The variation selector of a Han
// character is removed, too: it can encode a byte of a hidden message and shows nothing.
func unseen(s string, at int, r rune, size int) bool {
	return r >= 0xad && Name(r) != "" && (0xe0100 <= r && r <= 0xe01ef || !Innocent(s, at, r, size))
}

// needsCleaning reports whether text may have characters to remove; nearly all text has
// none.
func needsCleaning(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' || c > '~' {
			return true
		}
	}
	return false
}

// OneLine is a text from outside as one line for a model, so that it cannot add to the text
// around it.
func OneLine(s string) string {
	s, _ = Model(strings.Join(strings.Fields(s), " "))
	return s
}
