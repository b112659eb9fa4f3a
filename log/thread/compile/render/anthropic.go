package render

import (
	"strings"
	"unicode"

	"handoff/internal/json/toolform"
	"handoff/log/bundle"
)

type textBlock struct {
	Type string `json:"type"` // always "text"
	Text string `json:"text"`
}

type turn struct {
	Role    string      `json:"role"` // user or assistant
	Content []textBlock `json:"content"`
}

// missingStart is added before a first message of the assistant.
const missingStart = "(The earlier part of this conversation is not included.)"

// Anthropic is `{"system":[…],"messages":[…]}` under the rules of the Messages
// API (https://platform.claude.com/docs/en/api/messages): parts of the roles
// system and developer go to `system` in their order, because not all models
// accept these roles in messages; consecutive messages of one role become one with a
// text block each; the first message is the user's; no block is blank; and no
// final message of the assistant ends in white space, which the API refuses. A
// final message of the assistant would be continued, not answered: a note says
// so. Without such parts there is no `system`.
func Anthropic(c bundle.Context, o Options) (Rendering, error) {
	parts, notes, err := Parts(c, o)
	if err != nil {
		return Rendering{}, err
	}
	request := struct {
		System   []textBlock `json:"system,omitempty"`
		Messages []turn      `json:"messages"`
		Tools    []any       `json:"tools,omitempty"`
	}{Messages: []turn{}}
	var lost []Note
	if request.Tools, lost, err = o.declared(toolform.Anthropic); err != nil {
		return Rendering{}, err
	}
	notes = append(notes, lost...)
	for _, p := range parts {
		block := textBlock{"text", p.Text}
		switch {
		case strings.TrimSpace(p.Text) == "":
			notes = append(notes, Note{p.Item, "left out: it is blank, which the API refuses"})
		case p.Role == "system" || p.Role == "developer":
			if len(request.Messages) > 0 {
				notes = append(notes, Note{p.Item, "moved before the messages: role " + p.Role})
			}
			request.System = append(request.System, block)
		default:
			if len(request.Messages) == 0 && p.Role == "assistant" {
				notes = append(notes, Note{p.Item, "a user message was added before it: the API requires one first"})
				request.Messages = append(request.Messages, turn{"user", []textBlock{{"text", missingStart}}})
			}
			request.Messages = appendTurn(request.Messages, p.Role, block)
		}
	}
	return asJSON(request, inOrder(append(notes, finish(request.Messages)...)))
}

func appendTurn(turns []turn, role string, block textBlock) []turn {
	if n := len(turns); n > 0 && turns[n-1].Role == role {
		turns[n-1].Content = append(turns[n-1].Content, block)
		return turns
	}
	return append(turns, turn{role, []textBlock{block}})
}

// finish makes the end of the conversation valid for the API.
func finish(turns []turn) []Note {
	if len(turns) == 0 {
		return []Note{{-1, "no messages: add a user message"}}
	}
	last := turns[len(turns)-1]
	if last.Role == "user" {
		return nil
	}
	notes := []Note{{-1, "the last message is the assistant's, which the model would continue: add a user message"}}
	block := &last.Content[len(last.Content)-1]
	if trimmed := strings.TrimRightFunc(block.Text, unicode.IsSpace); trimmed != block.Text {
		block.Text = trimmed
		notes = append(notes, Note{-1, "white space at the end of the last message was removed: the API refuses it"})
	}
	return notes
}
