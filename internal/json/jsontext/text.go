package jsontext

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// plain marks the bytes of a string that need no further check: printable ASCII
// except the quote and the backslash.
var plain = func() (is [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		is[c] = c != '"' && c != '\\'
	}
	return is
}()

// text reads the next value, a string, and returns it with its quotes.
func (s *Scanner) text() string {
	open := s.at
	s.at++
	for {
		at := s.at
		for at < len(s.src) && plain[s.src[at]] {
			at++
		}
		s.at = at
		switch c := s.peek(); {
		case at == len(s.src):
			s.fail(open, "the string has no closing quote")
			return ""
		case c == '"':
			s.at++
			return s.src[open:s.at]
		case c == '\\':
			s.escape()
		case c < ' ':
			s.fail(at, fmt.Sprintf("a raw control character (0x%02x) in a string", c))
		default:
			r, n := utf8.DecodeRuneInString(s.src[at:])
			if s.at += n; r == utf8.RuneError && n == 1 {
				s.unsound(at, "not UTF-8")
			}
		}
		if s.err != nil {
			return ""
		}
	}
}

// escape reads an escape. If the text ends in it, the missing closing quote is
// reported instead.
func (s *Scanner) escape() {
	rest := s.src[s.at:]
	switch {
	case len(rest) == 1:
		s.at++
		return
	case strings.IndexByte(escapes, rest[1]) >= 0:
		s.at += 2
		return
	}
	n := 1
	if rest[1] == 'u' {
		for n = 2; n < 6 && n < len(rest) && isHex(rest[n]); n++ {
		}
	}
	if n < 6 {
		s.stop(s.at, s.at+n, `no such escape in a string: a backslash itself is written \\`)
		return
	}
	start := s.at
	s.at += n
	if rest[2]|0x20 != 'd' {
		return
	}
	if !s.sound {
		s.odd = true // it may be half of a pair; unescape checks
	} else if r, n := unescape(rest); r == utf8.RuneError {
		s.unsound(start, "half of a surrogate pair: write the character itself")
	} else {
		s.at = start + n
	}
}

func (s *Scanner) unsound(at int, text string) {
	if s.odd = true; s.sound {
		s.stop(at, at, text)
	}
}

const escapes = `"\/bfnrt`

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// unescape decodes the escape at the start of s, which is valid. r is U+FFFD for half
// of a surrogate pair.
func unescape(s string) (r rune, size int) {
	if s[1] != 'u' {
		return rune("\"\\/\b\f\n\r\t"[strings.IndexByte(escapes, s[1])]), 2
	}
	r = hex4(s)
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(s[6:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

func hex4(s string) rune {
	n, _ := strconv.ParseUint(s[2:6], 16, 16) // 0 if the second half of a pair is not valid
	return rune(n)
}

// IsText reports whether a value is a string.
func IsText(value string) bool { return strings.HasPrefix(value, `"`) }

// Text decodes a valid string literal; "" for another value. Halves of surrogate
// pairs and bytes that are not UTF-8 become U+FFFD.
func Text(literal string) string {
	if !IsText(literal) {
		return ""
	}
	rest := literal[1 : len(literal)-1]
	at := strings.IndexByte(rest, '\\')
	if at < 0 {
		return validated(rest)
	}
	b := make([]byte, 0, len(rest))
	for at >= 0 {
		r, n := unescape(rest[at:])
		b = utf8.AppendRune(append(b, rest[:at]...), r)
		rest = rest[at+n:]
		at = strings.IndexByte(rest, '\\')
	}
	return validated(string(append(b, rest...)))
}

func validated(s string) string {
	if utf8.ValidString(s) { // much faster than ToValidUTF8
		return s
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// HalfPair is the offset of the first lone half of a surrogate pair in a valid string
// literal, -1 if there is none.
func HalfPair(literal string) int {
	for at := 0; ; {
		next := strings.IndexByte(literal[at:], '\\')
		if next < 0 {
			return -1
		}
		at += next
		r, n := unescape(literal[at:])
		if r == utf8.RuneError && literal[at+2]|0x20 == 'd' {
			return at
		}
		at += n
	}
}
