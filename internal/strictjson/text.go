package strictjson

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Text is what a string says, from its bytes with the quotes.
func Text(value string) (string, error) {
	s := &scanner{src: value}
	if s.peek() != '"' {
		return "", s.fail("is " + What(value) + ", want text")
	}
	text, err := s.text()
	return text, s.end(err)
}

// Uint is a number in plain digits: not 1.0, 1e3 or -0, which serde_json reads
// as floats.
func Uint(value string, bits int) (uint64, bool) {
	for i := range len(value) {
		if value[i] < '0' || value[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(value, 10, bits)
	return n, err == nil
}

// text reads the string at hand: a part of the text where nothing is escaped.
func (s *scanner) text() (string, error) {
	s.at++
	start := s.at
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == '"':
			s.at++
			return s.src[start : s.at-1], nil
		case c == '\\':
			return s.escaped(start)
		case c < ' ':
			return "", s.fail("a control character: write it as \\u00" + string(hexDigits[c>>4]) + string(hexDigits[c&15]))
		case c < utf8.RuneSelf:
			s.at++
		default:
			r, n := utf8.DecodeRuneInString(s.src[s.at:])
			if r == utf8.RuneError && n == 1 {
				return "", s.fail("not UTF-8")
			}
			s.at += n
		}
	}
	return "", s.unexpected("the end of the text, a quote")
}

// escaped goes on with a string that began at start, from its first escape.
func (s *scanner) escaped(start int) (string, error) {
	var b strings.Builder
	b.WriteString(s.src[start:s.at])
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == '"':
			s.at++
			return b.String(), nil
		case c == '\\':
			r, err := s.escape()
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
		case c < ' ':
			return "", s.fail("a control character: write it as \\u00" + string(hexDigits[c>>4]) + string(hexDigits[c&15]))
		default:
			r, n := utf8.DecodeRuneInString(s.src[s.at:])
			if r == utf8.RuneError && n == 1 {
				return "", s.fail("not UTF-8")
			}
			b.WriteString(s.src[s.at : s.at+n])
			s.at += n
		}
	}
	return "", s.unexpected("the end of the text, a quote")
}

// escape reads the escape at hand; both halves of a surrogate pair are one.
func (s *scanner) escape() (rune, error) {
	start := s.at
	s.at++
	c := s.peek()
	s.at++
	if at := strings.IndexByte(`"\/bfnrt`, c); at >= 0 && c != 0 {
		return rune("\"\\/\b\f\n\r\t"[at]), nil
	}
	if c != 'u' {
		s.at = start
		return 0, s.fail("a backslash that escapes nothing: write \\\\")
	}
	r, ok := s.hex4()
	if !ok {
		s.at = start
		return 0, s.fail("\\u without four hex digits")
	}
	if !utf16.IsSurrogate(r) {
		return r, nil
	}
	if strings.HasPrefix(s.src[s.at:], `\u`) {
		s.at += 2
		if low, ok := s.hex4(); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, nil
			}
		}
	}
	s.at = start
	return 0, s.fail("half of a surrogate pair: write the character itself")
}

func (s *scanner) hex4() (rune, bool) {
	if len(s.src)-s.at < 4 {
		return 0, false
	}
	digits := s.src[s.at : s.at+4]
	for i := range len(digits) {
		if !strings.ContainsRune("0123456789abcdefABCDEF", rune(digits[i])) {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(digits, 16, 16)
	s.at += 4
	return rune(n), err == nil
}
