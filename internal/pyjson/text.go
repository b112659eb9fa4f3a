package pyjson

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"handoff/internal/jsontext"
)

// text passes over the string at hand.
func (s *scanner) text() error {
	s.at++
	for {
		s.plain()
		switch c := s.peek(); {
		case s.at == len(s.src):
			return s.unexpected("the end of the text, a quote")
		case c == '"':
			s.at++
			return nil
		case c == '\\':
			if err := s.escape(); err != nil {
				return err
			}
		case c < ' ':
			return s.unexpected("no control character")
		default:
			r, n := utf8.DecodeRuneInString(s.src[s.at:])
			s.odd = s.odd || r == utf8.RuneError && n == 1
			s.at += n
		}
	}
}

// plain passes over what needs no look of its own: most of a text.
func (s *scanner) plain() {
	src, at := s.src, s.at
	for at < len(src) && ' ' <= src[at] && src[at] < utf8.RuneSelf && src[at] != '"' && src[at] != '\\' {
		at++
	}
	s.at = at
}

func (s *scanner) escape() error {
	s.at++
	c := s.peek()
	if s.at < len(s.src) && strings.IndexByte(`"\/bfnrt`, c) >= 0 {
		s.at++
		return nil
	}
	if c != 'u' {
		return s.unexpected("an escape")
	}
	s.at++
	n := 0
	for n < 4 && s.at+n < len(s.src) && isHex(s.src[s.at+n]) {
		n++
	}
	if n < 4 {
		s.at += n
		return s.unexpected("four hex digits")
	}
	// Which of them are halves of pairs is seen when the text is written anew.
	s.odd = s.odd || s.src[s.at] == 'd' || s.src[s.at] == 'D'
	s.at += 4
	return nil
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// Text is what a string says, from its bytes with the quotes, which were
// scanned before. Halves of surrogate pairs, and bytes that are not UTF-8,
// become U+FFFD.
func Text(value string) string {
	value = value[1 : len(value)-1]
	at := strings.IndexByte(value, '\\')
	if at < 0 {
		return strings.ToValidUTF8(value, "\ufffd")
	}
	var b strings.Builder
	b.Grow(len(value))
	for at >= 0 {
		b.WriteString(value[:at])
		var r rune
		r, value = unescape(value[at:])
		b.WriteRune(r)
		at = strings.IndexByte(value, '\\')
	}
	b.WriteString(value)
	return strings.ToValidUTF8(b.String(), "\ufffd")
}

// unescape takes the escape that the text begins with.
func unescape(s string) (r rune, rest string) {
	if s[1] != 'u' {
		at := strings.IndexByte(`"\/bfnrt`, s[1])
		return rune("\"\\/\b\f\n\r\t"[at]), s[2:]
	}
	r, rest = hex4(s), s[6:]
	if !utf16.IsSurrogate(r) {
		return r, rest
	}
	if len(rest) >= 6 && rest[:2] == `\u` {
		if pair := utf16.DecodeRune(r, hex4(rest)); pair != utf8.RuneError {
			return pair, rest[6:]
		}
	}
	return utf8.RuneError, rest
}

func hex4(s string) rune {
	n, _ := strconv.ParseUint(s[2:6], 16, 16) // was scanned
	return rune(n)
}

// IsText reports whether a value is a string.
func IsText(value string) bool { return strings.HasPrefix(value, `"`) }

// AppendText quotes as Python does: only what JSON cannot hold is escaped.
// Bytes that are not UTF-8, which Python could not write, become U+FFFD.
func AppendText(buf []byte, s string) []byte { return jsontext.AppendText(buf, s) }

// AppendValue writes a value, which was scanned before, as Python writes it:
// one blank behind commas and colons, numbers as they were spelled, and each
// member once. What is not JSON becomes what is: NaN and Infinity null, half a
// surrogate pair U+FFFD.
func AppendValue(buf []byte, value string) []byte {
	switch value = strings.Trim(value, blanks); value[0] {
	case '{':
		members, _, _ := Object(value)
		return AppendMembers(buf, members)
	case '[':
		items, _ := Array(value)
		buf = append(buf, '[')
		for i, item := range items {
			if i > 0 {
				buf = append(buf, ", "...)
			}
			buf = AppendValue(buf, item)
		}
		return append(buf, ']')
	case '"':
		return AppendText(buf, Text(value))
	case 'N', 'I':
		return append(buf, "null"...)
	case '-':
		if value[1] == 'I' {
			return append(buf, "null"...)
		}
	}
	return append(buf, value...)
}

// AppendMembers writes an object.
func AppendMembers(buf []byte, members []Member) []byte {
	buf = append(buf, '{')
	for i, m := range members {
		if i > 0 {
			buf = append(buf, ", "...)
		}
		buf = append(AppendText(buf, m.Name), ": "...)
		buf = AppendValue(buf, m.Value)
	}
	return append(buf, '}')
}
