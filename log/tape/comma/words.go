package comma

import (
	"encoding/json"
	"errors"
	"strings"
)

// The messages are Python's, as in Bub.
var (
	errQuote  = errors.New("no closing quotation")
	errEscape = errors.New("no escaped character")
	errBraces = errors.New("no closing brace")
)

// split splits a line into words as Python's shlex does for Bub; but NAME={ extends
// to the closing brace.
func split(line string) (words []string, err error) {
	for at := 0; ; {
		for at < len(line) && isBlank(line[at]) {
			at++
		}
		if at == len(line) {
			return words, nil
		}
		w, n, err := word(line[at:])
		if err != nil {
			return nil, err
		}
		words = append(words, w)
		at += n
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// word is the word at the start of the text, and its length in the text.
func word(s string) (string, int, error) {
	if name, _, ok := strings.Cut(s, "={"); ok && isName(strings.TrimPrefix(name, "--")) {
		n, err := object(s[len(name)+1:])
		return s[:len(name)+1+n], len(name) + 1 + n, err
	}
	var b strings.Builder
	at := 0
	for at < len(s) && !isBlank(s[at]) {
		switch c := s[at]; c {
		case '\'':
			end := strings.IndexByte(s[at+1:], '\'')
			if end < 0 {
				return "", 0, errQuote
			}
			b.WriteString(s[at+1 : at+1+end])
			at += end + 2
		case '"':
			n, err := quoted(s[at:], &b)
			if err != nil {
				return "", 0, err
			}
			at += n
		case '\\':
			if at++; at == len(s) {
				return "", 0, errEscape
			}
			b.WriteByte(s[at])
			at++
		default:
			b.WriteByte(c)
			at++
		}
	}
	return b.String(), at, nil
}

// quoted reads a text in double quotes, and returns its length with them. A
// backslash escapes a quote or a backslash, and is kept otherwise.
func quoted(s string, b *strings.Builder) (int, error) {
	for at := 1; at < len(s); at++ {
		switch c := s[at]; {
		case c == '"':
			return at + 1, nil
		case c == '\\' && at+1 < len(s) && (s[at+1] == '"' || s[at+1] == '\\'):
			at++
			b.WriteByte(s[at])
		default:
			b.WriteByte(c)
		}
	}
	return 0, errQuote
}

// object is the length of the braces at the start of the text.
func object(s string) (int, error) {
	depth, inText := 0, false
	for at := 0; at < len(s); at++ {
		switch c := s[at]; {
		case inText && c == '\\':
			at++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return at + 1, nil
			}
		}
	}
	return 0, errBraces
}

// relaxed reads an object whose names need no quotes: {goal: "Build API"}.
func relaxed(s string) (json.RawMessage, error) {
	var b strings.Builder
	inText := false
	for at := 0; at < len(s); at++ {
		c := s[at]
		if inText && c == '\\' && at+1 < len(s) {
			b.WriteString(s[at : at+2])
			at++
			continue
		}
		if c == '"' {
			inText = !inText
		}
		if n := nameLen(s[at:]); !inText && n > 0 && (at == 0 || !isNameByte(s[at-1])) && colonFollows(s[at+n:]) {
			b.WriteString(`"` + s[at:at+n] + `"`)
			at += n - 1
			continue
		}
		b.WriteByte(c)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(b.String()), &object); err != nil || object == nil {
		return nil, errors.Join(errors.New(`want an object: {"tables": 5, "next": "Routes"}`), err)
	}
	return json.RawMessage(b.String()), nil
}

func colonFollows(s string) bool {
	return strings.HasPrefix(strings.TrimLeft(s, " \t\r\n"), ":")
}

func nameLen(s string) (n int) {
	for n < len(s) && isNameByte(s[n]) {
		n++
	}
	if n > 0 && ('0' <= s[0] && s[0] <= '9' || s[0] == '-') {
		return 0
	}
	return n
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '-' || '0' <= c && c <= '9'
}

func isName(s string) bool { return s != "" && nameLen(s) == len(s) }
