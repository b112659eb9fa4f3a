package tape

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"

	"handoff/internal/json/jsontext"
	"handoff/tape/entry"
)

// ErrNothingToCut: after the last anchor there is only what must be repeated.
// Another handoff would not make the context shorter.
var ErrNothingToCut = errors.New("nothing after the last anchor can be left out")

// overflowAnchor is Bub's name for its automatic handoffs.
const overflowAnchor = "auto_handoff/context_overflow"

// HandOffOverflow is for an agent loop whose model has refused a context as too
// long: see [IsContextLength]. It hands off with the summary and next steps of
// the last anchor, so that the prompt can be retried. It fails with
// ErrNothingToCut if a handoff would not make the context shorter.
func (t *Tape) HandOffOverflow(ctx context.Context, cause string) ([]Entry, error) {
	s, err := t.Slice(FromLastAnchor())
	if err != nil {
		return nil, err
	}
	if !canShrink(s) {
		return nil, ErrNothingToCut
	}
	state := []jsontext.Member{entry.TextMember("reason", "context_length_exceeded"), entry.TextMember("error", cause)}
	if b := s.Boundary; b != nil {
		state = append(state, entry.TextMember("from_anchor", b.Name()))
		for _, name := range []string{"summary", "next_steps"} {
			if v := jsontext.Get(b.State(), name); v != "" {
				state = append(state, jsontext.Member{Name: name, Value: v})
			}
		}
	}
	entries, err := t.HandoffEntries(overflowAnchor, jsontext.Python.AppendMembers(nil, state), nil)
	if err != nil {
		return nil, err
	}
	step, err := entry.NewEvent("loop.step", map[string]string{"status": "auto_handoff", "error": cause})
	if err != nil {
		return nil, err
	}
	return t.Append(ctx, append(entries, step)...)
}

// canShrink reports whether a handoff would remove anything from the context: a
// message of the model, a tool call or a second prompt.
func canShrink(s Slice) bool {
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
