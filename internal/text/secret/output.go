package secret

import (
	"encoding/json"
	"strings"
)

// HideOutput is [Hide] for what a program prints, to be stored. A line of JSON stays valid
// JSON: its strings are searched as what they mean, because an escaped line break or quote
// would hide where a secret begins and ends.
func HideOutput(text string) string {
	var out, plain strings.Builder // plain: lines without JSON, together, because a key has several
	flush := func() {
		out.WriteString(Hide(plain.String()))
		plain.Reset()
	}
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimSpace(line); len(trimmed) > 1 && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid([]byte(trimmed)) {
			flush()
			out.WriteString(hideJSON(line))
		} else {
			plain.WriteString(line)
		}
	}
	flush()
	return out.String()
}

// hideJSON hides the secrets of one line of JSON: those in its strings, and then those that
// only a member's name shows to be one, if that leaves valid JSON.
func hideJSON(line string) string {
	var out strings.Builder
	rest := line
	for {
		i := strings.IndexByte(rest, '"')
		if i < 0 {
			break
		}
		n := literal(rest[i:])
		out.WriteString(rest[:i])
		out.WriteString(hideLiteral(rest[i : i+n]))
		rest = rest[i+n:]
	}
	out.WriteString(rest)
	if whole := Hide(out.String()); json.Valid([]byte(whole)) {
		return whole
	}
	return out.String()
}

// literal is the length of the string at the start of valid JSON.
func literal(src string) int {
	for i := 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(src)
}

// hideLiteral hides the secrets in a string of JSON; without one it stays as it is.
func hideLiteral(quoted string) string {
	if strings.IndexByte(quoted, '\\') < 0 {
		return Hide(quoted)
	}
	var text string
	if json.Unmarshal([]byte(quoted), &text) != nil {
		return quoted
	}
	clean := Hide(text)
	if clean == text {
		return quoted
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(clean) != nil {
		return `"` + Masked + `"`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
