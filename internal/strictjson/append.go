package strictjson

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendText quotes as serde_json does: only what JSON cannot hold is escaped,
// not `<`, `>`, `&` or U+2028. Bytes that are not UTF-8 become U+FFFD: whoever
// minds has asked before.
func AppendText(buf []byte, s string) []byte {
	buf = append(buf, '"')
	for i := 0; i < len(s); {
		if end := i + plain(s[i:]); end > i {
			buf = append(buf, s[i:end]...)
			i = end
			continue
		}
		c, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case c == '"' || c == '\\':
			buf = append(buf, '\\', byte(c))
		case c < ' ':
			buf = appendControl(buf, byte(c))
		default:
			buf = utf8.AppendRune(buf, c)
		}
		i += n
	}
	return append(buf, '"')
}

// plain is the length of the ASCII text at the start that needs no escape:
// nearly all there is.
func plain(s string) int {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return i
		}
	}
	return len(s)
}

func appendControl(buf []byte, c byte) []byte {
	if at := strings.IndexByte("\b\f\n\r\t", c); at >= 0 {
		return append(buf, '\\', "bfnrt"[at])
	}
	return append(buf, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// AppendValue writes a JSON value as serde_json writes one that it does not
// know: compact, the members of objects sorted by name, numbers as they were
// spelled. A name that stands twice in an object is an error: one of them
// would be lost.
func AppendValue(buf []byte, value string) ([]byte, error) {
	if err := Check(value); err != nil {
		return buf, err
	}
	return appendValue(buf, strings.Trim(value, " \t\r\n"))
}

func appendValue(buf []byte, value string) ([]byte, error) {
	switch value[0] {
	case '{':
		return appendObject(buf, value)
	case '[':
		items, err := Array(value)
		buf = append(buf, '[')
		for i, item := range items {
			if i > 0 {
				buf = append(buf, ',')
			}
			if buf, err = appendValue(buf, item); err != nil {
				break
			}
		}
		return append(buf, ']'), err
	case '"':
		text, err := Text(value)
		return AppendText(buf, text), err
	}
	return append(buf, value...), nil
}

func appendObject(buf []byte, value string) ([]byte, error) {
	members, err := Object(value)
	slices.SortStableFunc(members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	buf = append(buf, '{')
	for i, m := range members {
		if i > 0 {
			if m.Name == members[i-1].Name {
				return buf, &Error{0, fmt.Sprintf("%q stands twice in an object", m.Name)}
			}
			buf = append(buf, ',')
		}
		buf = append(AppendText(buf, m.Name), ':')
		if buf, err = appendValue(buf, m.Value); err != nil {
			return buf, err
		}
	}
	return append(buf, '}'), err
}
