package chat

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"sync"

	"handoff/internal/json/jsontext"
	"handoff/log/tape"
	"handoff/log/tape/entry"
)

// ErrNothingToCut: after the last anchor there is only what must be repeated.
// Another handoff would not make the context shorter.
var ErrNothingToCut = errors.New("nothing after the last anchor can be left out")

// OverflowAnchor is Bub's name for its automatic handoffs.
const OverflowAnchor = "auto_handoff/context_overflow"

// Overflow is for an agent loop whose model has refused a context as too long: see
// [IsContextLength]. It returns the state of an anchor [OverflowAnchor], with the summary
// and next steps of the last anchor, and the event that follows, so that the prompt can be
// retried. s is what the model got. It fails with ErrNothingToCut if the anchor would not
// make the context shorter.
func Overflow(s tape.Slice, cause string) (state json.RawMessage, step tape.Entry, err error) {
	if !canShrink(s) {
		return nil, step, ErrNothingToCut
	}
	members := []jsontext.Member{entry.TextMember("reason", "context_length_exceeded"), entry.TextMember("error", cause)}
	if b := s.Boundary; b != nil {
		members = append(members, entry.TextMember("from_anchor", b.Name()))
		for _, name := range []string{"summary", "next_steps"} {
			if v := jsontext.Get(b.State(), name); v != "" {
				members = append(members, jsontext.Member{Name: name, Value: v})
			}
		}
	}
	step, err = entry.NewEvent("loop.step", map[string]string{"status": "auto_handoff", "error": cause})
	return jsontext.Python.AppendMembers(nil, members), step, err
}

// canShrink reports whether a handoff would remove anything from the context: a
// message of the model, a tool call or a second prompt.
func canShrink(s tape.Slice) bool {
	if s.Boundary == nil && len(s.Entries) > 0 {
		return true
	}
	prompts := 0
	for i := range s.Entries {
		switch e := &s.Entries[i]; e.Kind {
		case entry.KindToolCall, entry.KindToolResult:
			return true
		case entry.KindMessage:
			if role, _ := entry.Text(e.Payload, "role"); role != "user" {
				return true
			}
			prompts++
		}
	}
	return prompts > 1
}

// contextLength is Bub's pattern, compiled when it is first needed.
var contextLength = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)context.{0,20}(?:length|window)|maximum.{0,20}context|token.{0,10}limit|prompt.{0,10}too long|tokens? > \d+ maximum`)
})

// IsContextLength reports whether a failed model call was refused because the
// context was too long. Messages about rate limits are not.
func IsContextLength(message string) bool {
	lower := strings.ToLower(message)
	if strings.Contains(lower, "rate") && !strings.Contains(lower, "context") {
		return false
	}
	return contextLength().MatchString(message)
}
