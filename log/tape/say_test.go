package tape

import (
	"fmt"

	"handoff/log/tape/entry"
)

// say returns the line of a message.
func say(id int, text string) string {
	return fmt.Sprintf(`{"id": %d, "kind": "message", "payload": {"role": "user", "content": "%s"}, "meta": {}, "date": "2026-11-20T17:41:32+00:00"}`, id, text)
}

// content is the text of a message, or the name of an anchor or event.
func content(e Entry) string {
	if text, ok := entry.Text(e.Payload, "content"); ok {
		return text
	}
	return e.Name()
}
