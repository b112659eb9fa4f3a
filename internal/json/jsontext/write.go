package jsontext

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// AppendText quotes a string as serde_json and Python do: only what JSON requires is
// escaped, not `<`, `>`, `&` or U+2028. Bytes that are not UTF-8 become U+FFFD.
func AppendText(buf []byte, s string) []byte {
	buf = append(buf, '"')
	for i := 0; i < len(s); {
		end := i
		for end < len(s) && plain[s[end]] {
			end++
		}
		if buf = append(buf, s[i:end]...); end == len(s) {
			break
		}
		c, n := utf8.DecodeRuneInString(s[end:])
		switch {
		case c == '"' || c == '\\':
			buf = append(buf, '\\', byte(c))
		case c < ' ':
			buf = appendControl(buf, byte(c))
		default:
			buf = utf8.AppendRune(buf, c)
		}
		i = end + n
	}
	return append(buf, '"')
}

func appendControl(buf []byte, c byte) []byte {
	if at := strings.IndexByte("\b\f\n\r\t", c); at >= 0 {
		return append(buf, '\\', "bfnrt"[at])
	}
	const hex = "0123456789abcdef"
	return append(buf, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// AppendValue writes a valid value as the dialect writes it: numbers as they are
// spelled, strings with the escapes that they need. Values that only Python reads
// are replaced: NaN and Infinity by null, half of a surrogate pair by U+FFFD.
func (d *Dialect) AppendValue(buf []byte, value string) []byte {
	buf, _ = d.append(buf, value)
	return buf
}

// AppendChecked is AppendValue of a value that may be invalid. level is the number of
// objects and arrays around it. If the dialect sorts members, a duplicate name is an
// error: one of the two would be lost.
func (d *Dialect) AppendChecked(buf []byte, value string, level int) ([]byte, error) {
	s := d.Scan(value)
	s.level = level
	s.Skip()
	if err := s.End(); err != nil {
		return buf, err
	}
	return d.append(buf, value)
}

// AppendMembers writes an object.
func (d *Dialect) AppendMembers(buf []byte, members []Member) []byte {
	buf, _ = d.appendMembers(buf, members)
	return buf
}

func (d *Dialect) append(buf []byte, value string) ([]byte, error) {
	value = strings.Trim(value, Blanks)
	if value == "" {
		return buf, nil
	}
	switch value[0] {
	case '{':
		members, err := d.Object(value)
		if err != nil {
			return buf, err
		}
		return d.appendMembers(buf, members)
	case '[':
		return d.appendItems(buf, value)
	case '"':
		return AppendText(buf, Text(value)), nil
	case 'N', 'I':
		value = "null"
	case '-':
		if value[1] == 'I' {
			value = "null"
		}
	}
	return append(buf, value...), nil
}

func (d *Dialect) appendItems(buf []byte, value string) ([]byte, error) {
	items, err := d.Array(value)
	buf = append(buf, '[')
	for i, item := range items {
		if i > 0 {
			buf = append(buf, d.separator...)
		}
		if buf, err = d.append(buf, item); err != nil {
			break
		}
	}
	return append(buf, ']'), err
}

func (d *Dialect) appendMembers(buf []byte, members []Member) (_ []byte, err error) {
	if d.sorted {
		members = slices.Clone(members)
		slices.SortStableFunc(members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	}
	buf = append(buf, '{')
	for i, m := range members {
		if i > 0 {
			if d.sorted && m.Name == members[i-1].Name {
				return buf, &Error{Text: fmt.Sprintf("duplicate key %q", m.Name)}
			}
			buf = append(buf, d.separator...)
		}
		buf = append(AppendText(buf, m.Name), d.colon...)
		if buf, err = d.append(buf, m.Value); err != nil {
			return buf, err
		}
	}
	return append(buf, '}'), nil
}
