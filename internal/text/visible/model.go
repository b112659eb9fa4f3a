package visible

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Model makes text safe for a model, which reads what no person sees: tags,
// characters of no width and variation selectors are taken out, and removed is
// how many; of separators that are not line ends a blank stays. Controls, bytes that are not UTF-8 and what reverses the direction
// of writing are escaped as in [Text], because the words around them would read
// otherwise without them. Line ends and tabs stay, and so do joiners within
// words and emoji that need them.
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

// unseen reports whether a model must not read the character. The variant of a
// Han character can hold a byte of a message, and shows nothing that the
// character does not.
func unseen(s string, at int, r rune, size int) bool {
	return r >= 0xad && Name(r) != "" && (0xe0100 <= r && r <= 0xe01ef || !Innocent(s, at, r, size))
}

// needsCleaning is false for nearly all text.
func needsCleaning(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' || c > '~' {
			return true
		}
	}
	return false
}
