package chat

import (
	"encoding/json"
	"fmt"
	"strings"

	"handoff/internal/json/jsontext"
	"handoff/internal/text/visible"
)

// Clean removes invisible characters from messages, which a model reads and a
// person does not see, and escapes control characters. dropped is how many were
// removed from which entries.
func Clean(messages []Message) (clean []Message, dropped []Dropped) {
	clean = make([]Message, len(messages))
	for i, m := range messages {
		text, removed := cleanJSON(string(m.JSON))
		clean[i] = Message{json.RawMessage(text), m.Entry}
		switch {
		case removed == 1:
			dropped = append(dropped, Dropped{m.Entry, "1 invisible character"})
		case removed > 1:
			dropped = append(dropped, Dropped{m.Entry, fmt.Sprintf("%d invisible characters", removed)})
		}
	}
	return clean, dropped
}

// cleanJSON cleans the strings of a JSON value.
func cleanJSON(src string) (clean string, removed int) {
	var b []byte
	at := 0 // up to here it is in b
	for i := 0; i < len(src); i++ {
		if src[i] != '"' {
			continue
		}
		s := jsontext.Python.Scan(src[i:])
		literal := s.Skip()
		end := i + s.At()
		if !plainLiteral(literal) {
			text := jsontext.Text(literal)
			if c, n := visible.Model(text); c != text {
				b = jsontext.AppendText(append(b, src[at:i]...), c)
				removed, at = removed+n, end
			}
		}
		i = end - 1
	}
	if at == 0 {
		return src, 0
	}
	return string(append(b, src[at:]...)), removed
}

// plainLiteral reports whether a string is printable ASCII without an escape of
// another character.
func plainLiteral(literal string) bool {
	return visible.Printable(literal) && !strings.Contains(literal, `\u`) &&
		!strings.Contains(literal, `\b`) && !strings.Contains(literal, `\f`) && !strings.Contains(literal, `\r`)
}
