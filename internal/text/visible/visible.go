// Package visible makes untrusted text safe to show: on a terminal, where it must not
// move the cursor or start an escape sequence, and in a prompt, where a model must not
// read what no person sees.
package visible

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// Text escapes what must not reach a terminal or a log: control characters, format
// characters such as U+202E, which reverses the direction of writing, and bytes that
// are not UTF-8. They become `\x1b`, `\u202e`, `\xff`. Backslashes are not escaped:
// Windows paths are more frequent than programs that decode the escapes. The bytes in
// keep are not escaped.
func Text(s string, keep ...byte) string {
	if Printable(s) {
		return s
	}
	b := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = appendByte(b, s[i])
		case !Escaped(r) || r < utf8.RuneSelf && slices.Contains(keep, byte(r)):
			b = append(b, s[i:i+size]...)
		default:
			b = appendRune(b, r)
		}
		i += size
	}
	return string(b)
}

// Line is Text for one line, which may have tabs.
func Line(s string) string { return Text(s, '\t') }

// Printable reports whether s is printable ASCII only, as nearly all text is. It is the
// fast path of this package.
func Printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Escaped reports whether Text escapes a character. The two joiners are format
// characters but not escaped: Persian and emoji need them, and terminals ignore them.
func Escaped(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return r != nonJoiner && r != joiner &&
		(unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point))
}

const hexDigits = "0123456789abcdef"

func appendByte(b []byte, c byte) []byte {
	return append(b, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
}

// appendRune escapes a character. `\xff` means a byte, so characters from U+007F on are
// `\u007f` or longer.
func appendRune(b []byte, r rune) []byte {
	switch {
	case r == '\n':
		return append(b, `\n`...)
	case r == '\r':
		return append(b, `\r`...)
	case r == '\t':
		return append(b, `\t`...)
	case r < ' ':
		return appendByte(b, byte(r))
	case r <= 0xffff:
		return appendHex(append(b, `\u`...), r, 12)
	}
	return appendHex(append(b, `\U`...), r, 28)
}

func appendHex(b []byte, r rune, shift int) []byte {
	for ; shift >= 0; shift -= 4 {
		b = append(b, hexDigits[r>>shift&15])
	}
	return b
}
