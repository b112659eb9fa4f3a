package host

import (
	"strings"
	"unicode/utf8"

	"handoff/internal/json/jsontext"
)

// Envelope is what a hook prints to pass a text to the model, with a final line
// break; nothing for no text or where the host accepts none. The text must be
// within the limit of the host: see [Limit.Fits].
func (k Hook) Envelope(text string) []byte {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	switch k.Form {
	case Plain:
		return []byte(plain(text) + "\n")
	case Specific:
		type specific struct {
			Event string `json:"hookEventName"`
			Text  string `json:"additionalContext"`
		}
		return encode(struct {
			Specific specific `json:"hookSpecificOutput"`
		}{specific{k.Native, text}})
	case Camel, Snake, Context, Followup:
		return encode(map[string]string{string(k.Form): text})
	case Block, Deny:
		return encode(struct {
			Decision Form   `json:"decision"`
			Reason   string `json:"reason"`
		}{k.Form, text})
	}
	return nil
}

// Clearing is what a hook prints to end the turn and clear the context of the session, where
// the host does that. It shows the reason to the user; the model does not see it.
func (k Hook) Clearing(reason string) []byte {
	type specific struct {
		Event string `json:"hookEventName"`
		Clear bool   `json:"clearContext"`
	}
	return encode(struct {
		Continue bool     `json:"continue"`
		Reason   string   `json:"stopReason"`
		Specific specific `json:"hookSpecificOutput"`
	}{false, strings.TrimSpace(strings.ToValidUTF8(reason, "\uFFFD")), specific{k.Native, true}})
}

// plain keeps a host from reading a text as JSON, which it does if that begins
// with a brace or a bracket.
func plain(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		return "Text: " + text
	}
	return text
}

func encode(v any) []byte {
	text, err := jsontext.Marshal(v) // the limit counts < as one character
	if err != nil {
		return nil // never: they are strings
	}
	return append(text, '\n')
}

// Fits reports whether a text is within the limit.
func (l Limit) Fits(text string) bool {
	return l.Max == 0 || l.size(text) <= l.Max
}

func (l Limit) size(text string) int {
	if l.Bytes {
		return len(text)
	}
	return utf8.RuneCountInString(text)
}
