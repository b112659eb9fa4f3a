package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// visible writes what could command a terminal, or make text look like other
// text, in the escapes of Go: paths and messages hold what others wrote.
func visible(s string) string {
	clean := true
	for _, c := range s {
		if hidden(c) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < 0x80 && hidden(c), c == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case hidden(c) && c != utf8.RuneError:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// hidden reports controls, marks that turn the direction of text, and what
// stands for bytes that are no text.
func hidden(c rune) bool {
	switch {
	case c < ' ', 0x7f <= c && c < 0xa0, c == utf8.RuneError, c == 0xfeff:
		return true
	case 0x200b <= c && c <= 0x200f && c != 0x200d, 0x2028 <= c && c <= 0x202e, 0x2060 <= c && c <= 0x206f:
		return true
	}
	return false
}
