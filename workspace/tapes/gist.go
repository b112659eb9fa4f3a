package tapes

import (
	"encoding/json"

	"handoff/log/tape"
)

// Gist is what an entry says, as text: a message with its role, an anchor or event with its state,
// else the payload as it is.
func Gist(e tape.Entry) string {
	who, said, ok := Said(e)
	switch {
	case ok && who != "":
		return who + ": " + said
	case ok:
		return said
	case e.Kind == tape.KindAnchor:
		return e.Name() + " " + string(e.State())
	case e.Kind == tape.KindEvent:
		return e.Name() + " " + string(e.Data())
	}
	return string(e.Payload)
}

// Said returns the text of a message with its role, of a system prompt or of an error. ok is false
// for other entries, and for a content that is not text.
func Said(e tape.Entry) (who, text string, ok bool) {
	var p struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(e.Payload, &p) != nil {
		return "", "", false
	}
	isText := json.Unmarshal(p.Content, &text) == nil && len(p.Content) > 0
	switch e.Kind {
	case tape.KindMessage:
		return p.Role, text, isText
	case tape.KindSystem:
		return "", text, isText
	case tape.KindError:
		return "", p.Message, p.Message != ""
	}
	return "", "", false
}
