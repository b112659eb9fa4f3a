package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible makes text safe to print: what moves a cursor, starts an escape
// sequence, turns the direction of writing or cannot be seen at all is written
// as an escape, `\x1b` or `\u202e`. Backslashes stay as they are: paths on
// Windows are read more often than escapes are read back. The bytes in keep
// pass unchanged.
func visible(s string, keep ...byte) string {
	if printable(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r < utf8.RuneSelf && strings.IndexByte(string(keep), byte(r)) >= 0 || !hidden(r):
			b.WriteString(s[i : i+size])
		default:
			b.WriteString(escaped(r))
		}
		i += size
	}
	return b.String()
}

// printable is the quick way out for what nearly all text is.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// hidden tells the characters that must not reach a terminal or a log as they
// are. The two joiners are format characters too, but Persian and emoji need
// them and they harm nobody.
func hidden(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return r != nonJoiner && r != joiner &&
		(unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point))
}

func escaped(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r <= 0xff:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}
