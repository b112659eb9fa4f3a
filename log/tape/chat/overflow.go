package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
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
// retried. Without a summary the state has the task, which is the first prompt since last
// or that of an earlier overflow, and the last prompt, of each at most 2,000 characters.
// last is nil if there is no anchor; entries are those after it, which need not fit into
// memory. It fails with ErrNothingToCut if the anchor would not make the context shorter.
func Overflow(last *tape.Anchor, entries iter.Seq2[tape.Entry, error], cause string) (state json.RawMessage, step tape.Entry, err error) {
	members := []jsontext.Member{entry.TextMember("reason", "context_length_exceeded"), entry.TextMember("error", cause)}
	had := map[string]string{}
	if last != nil {
		members = append(members, entry.TextMember("from_anchor", last.Name))
		for _, name := range []string{"summary", "next_steps", "task"} {
			if had[name] = jsontext.Get(last.State, name); had[name] != "" {
				members = append(members, jsontext.Member{Name: name, Value: had[name]})
			}
		}
	}
	c, err := readCut(entries)
	if err != nil {
		return nil, step, err
	}
	if c.entries == 0 || last != nil && !c.others && c.prompts < 2 {
		return nil, step, ErrNothingToCut // only what must be repeated
	}
	if had["summary"] == "" {
		members = append(members, c.members(had["task"] == "")...)
	}
	step, err = entry.NewEvent("loop.step", map[string]string{"status": "auto_handoff", "error": cause})
	return jsontext.Python.AppendMembers(nil, members), step, err
}

// cut is what a handoff would remove from the context.
type cut struct {
	entries, prompts int
	others           bool // messages of the model, or tool calls
	first, last      string
}

func readCut(entries iter.Seq2[tape.Entry, error]) (c cut, err error) {
	for e, err := range entries {
		if err != nil {
			return c, err
		}
		c.entries++
		role, _ := entry.Text(e.Payload, "role")
		switch {
		case e.Kind == entry.KindToolCall, e.Kind == entry.KindToolResult, e.Kind == entry.KindMessage && role != "user":
			c.others = true
		case e.Kind == entry.KindMessage:
			c.prompts++
			if text := strings.TrimSpace(contentText(jsontext.Get(e.Payload, "content"))); text != "" && !e.IsStateMessage() {
				if c.last = shortened(text); c.first == "" {
					c.first = c.last
				}
			}
		}
	}
	return c, nil
}

// members are the first prompt, as the task if that is not known, and the last one.
func (c cut) members(taskless bool) (members []jsontext.Member) {
	if taskless && c.first != "" {
		members = append(members, entry.TextMember("task", c.first))
	}
	if c.last != "" && (!taskless || c.last != c.first) {
		members = append(members, entry.TextMember("last_prompt", c.last))
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
