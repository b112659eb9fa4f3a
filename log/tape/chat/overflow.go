package chat

import (
	"encoding/json"
	"errors"
	"fmt"
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

// carried bounds a text that an overflow carries over, in characters.
const carried = 2000

// Overflow is for an agent loop whose model has refused a context as too long: see
// [IsContextLength]. It returns the state of an anchor [OverflowAnchor], with the summary
// and next steps of the last anchor, and the event that follows, so that the prompt can be
// retried. Without a summary the state has the task, which is the first prompt of s or that
// of an earlier overflow, and the last prompt, of each at most 2,000 characters. s is what
// the model got. It fails with ErrNothingToCut if the anchor would not
// make the context shorter.
func Overflow(s tape.Slice, cause string) (state json.RawMessage, step tape.Entry, err error) {
	if !canShrink(s) {
		return nil, step, ErrNothingToCut
	}
	members := []jsontext.Member{entry.TextMember("reason", "context_length_exceeded"), entry.TextMember("error", cause)}
	had := map[string]string{}
	if b := s.Boundary; b != nil {
		members = append(members, entry.TextMember("from_anchor", b.Name()))
		for _, name := range []string{"summary", "next_steps", "task"} {
			if had[name] = jsontext.Get(b.State(), name); had[name] != "" {
				members = append(members, jsontext.Member{Name: name, Value: had[name]})
			}
		}
	}
	if had["summary"] == "" {
		members = append(members, prompts(s, had["task"] == "")...)
	}
	step, err = entry.NewEvent("loop.step", map[string]string{"status": "auto_handoff", "error": cause})
	return jsontext.Python.AppendMembers(nil, members), step, err
}

// prompts is the first prompt of a slice, as the task if that is not known, and the last one.
func prompts(s tape.Slice, taskless bool) (members []jsontext.Member) {
	var said []string
	for i := range s.Entries {
		e := &s.Entries[i]
		if role, _ := entry.Text(e.Payload, "role"); e.Kind != entry.KindMessage || role != "user" || e.IsStateMessage() {
			continue
		}
		if text := strings.TrimSpace(contentText(jsontext.Get(e.Payload, "content"))); text != "" {
			said = append(said, text)
		}
	}
	if len(said) > 0 && taskless {
		members = append(members, entry.TextMember("task", shortened(said[0])))
		said = said[1:]
	}
	if n := len(said); n > 0 {
		members = append(members, entry.TextMember("last_prompt", shortened(said[n-1])))
	}
	return members
}

// contentText is the text of a message's content: a text, or the texts of its parts.
func contentText(content string) string {
	if jsontext.IsText(content) {
		return jsontext.Text(content)
	}
	var texts []string
	parts, _ := jsontext.Python.Array(content)
	for _, part := range parts {
		if text, ok := entry.Text([]byte(part), "text"); ok {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// shortened is the beginning of a text that is too long to be carried over, and says so.
func shortened(text string) string {
	letters := []rune(text)
	if len(letters) <= carried {
		return text
	}
	return string(letters[:carried]) + fmt.Sprintf("… [%d more characters are on the tape]", len(letters)-carried)
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
