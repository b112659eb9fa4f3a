package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"handoff/internal/json/jsontext"
	"handoff/log/tape/calls"
)

// System is a message that was not made from an entry.
func System(content string) Message {
	return Message{JSON: object(text("role", "system"), text("content", content))}
}

// legalNames replaces what providers do not accept in the names of a message's tools, such
// as the dot of fs.read, and reports whether there was any. A custom tool keeps its name.
func legalNames(members []jsontext.Member) (changed bool) {
	rename := func(of []jsontext.Member) bool {
		i := slices.IndexFunc(of, func(m jsontext.Member) bool { return m.Name == "name" })
		if i < 0 || !jsontext.IsText(of[i].Value) {
			return false
		}
		was := jsontext.Text(of[i].Value)
		of[i] = text("name", legal(was))
		return legal(was) != was
	}
	isTool := textField(object(members...), "role") == "tool"
	for i, m := range members {
		switch {
		case m.Name == "name" && isTool:
			changed = rename(members[i:i+1]) || changed
		case m.Name == "tool_calls":
			list, _ := jsontext.Python.Array(m.Value)
			for k, call := range list {
				parts, err := jsontext.Python.Object(call)
				f := slices.IndexFunc(parts, func(p jsontext.Member) bool { return p.Name == "function" })
				if err != nil || f < 0 {
					continue
				}
				function, err := jsontext.Python.Object(parts[f].Value)
				if err != nil || !rename(function) {
					continue
				}
				changed, parts[f].Value = true, string(object(function...))
				list[k] = string(object(parts...))
			}
			members[i].Value = "[" + strings.Join(list, ", ") + "]"
		}
	}
	return changed
}

// OpenAI is the object `{"messages":[…]}` of a request to chat completions,
// with a line end. It has no data of other providers.
func OpenAI(messages []Message) []byte {
	list := make([]json.RawMessage, len(messages))
	for i, m := range messages {
		list[i] = m.JSON
		members, err := jsontext.Python.Object(string(m.JSON))
		if err == nil && (len(without(members, "provider_data")) < len(members) || legalNames(members)) {
			list[i] = object(without(members, "provider_data")...)
		}
	}
	return asJSON(struct {
		Messages []json.RawMessage `json:"messages"`
	}{list})
}

// missingStart is the user's message before one of the assistant, which may not
// come first.
const missingStart = "(The earlier part of this conversation is not included.)"

type turn struct {
	Role    string            `json:"role"` // user or assistant
	Content []json.RawMessage `json:"content"`
}

// Anthropic is the object `{"system":[…],"messages":[…]}` of a request to the
// Messages API, with a line end: system messages go to `system`, results of
// tools into messages of the user, adjacent messages of one role are merged, and
// the user's message is the first. Reasoning is included only as the API's own
// signed blocks, which Bub stores in provider_data. Names and ids that the API
// refuses are changed. dropped is what was changed or left out.
func Anthropic(messages []Message) (request []byte, dropped []Dropped) {
	w := anthropic{Turns: []turn{}, ids: map[string]string{}, taken: map[string]bool{}}
	for _, m := range messages {
		w.message(m)
	}
	w.finish()
	return asJSON(&w), w.dropped
}

type anthropic struct {
	System []json.RawMessage `json:"system,omitempty"`
	Turns  []turn            `json:"messages"`

	dropped []Dropped
	ids     map[string]string // of calls, as written here
	taken   map[string]bool   // ids that are used
}

// id is the unique id of a call.
func (w *anthropic) id(given string) string {
	if id, ok := w.ids[given]; ok {
		return id
	}
	base := legal(given)
	id := base
	for n := 2; w.taken[id]; n++ {
		id = fmt.Sprintf("%s_%d", base, n)
	}
	w.ids[given], w.taken[id] = id, true
	return id
}

func (w *anthropic) drop(m Message, format string, args ...any) {
	w.dropped = append(w.dropped, Dropped{m.Entry, fmt.Sprintf(format, args...)})
}

func (w *anthropic) message(m Message) {
	role := textField(m.JSON, "role")
	switch role {
	case "system", "developer":
		if len(w.Turns) > 0 {
			w.drop(m, "moved before the messages: role %s", role)
		}
		w.System = append(w.System, w.blocks(m)...)
	case "tool":
		result := []jsontext.Member{text("type", "tool_result"), text("tool_use_id", w.id(textField(m.JSON, "tool_call_id")))}
		switch content := jsontext.Get(m.JSON, "content"); {
		case strings.HasPrefix(content, "["):
			if blocks := w.blocks(m); len(blocks) > 0 {
				result = append(result, member("content", bytes.TrimSpace(asJSON(blocks))))
			}
		case strings.TrimSpace(textField(m.JSON, "content")) != "":
			result = append(result, text("content", textField(m.JSON, "content")))
		}
		w.add(m, "user", object(result...))
	case "assistant":
		thoughts, said := w.thoughts(m), append(w.blocks(m), w.uses(m)...)
		if len(said) == 0 {
			thoughts = nil // it may not come last
		}
		w.add(m, role, append(thoughts, said...)...)
	default:
		w.add(m, "user", w.blocks(m)...)
	}
}

func (w *anthropic) add(m Message, role string, blocks ...json.RawMessage) {
	if len(blocks) == 0 {
		w.drop(m, "left out: it is blank, which the API refuses")
		return
	}
	if len(w.Turns) == 0 && role == "assistant" {
		w.Turns = append(w.Turns, turn{"user", []json.RawMessage{textBlock(missingStart)}})
	}
	if n := len(w.Turns); n > 0 && w.Turns[n-1].Role == role {
		w.Turns[n-1].Content = append(w.Turns[n-1].Content, blocks...)
		return
	}
	w.Turns = append(w.Turns, turn{role, blocks})
}

// thoughts is the signed reasoning of an assistant's message, which only this API
// accepts. It comes before all other blocks.
func (w *anthropic) thoughts(m Message) (blocks []json.RawMessage) {
	items, _ := jsontext.Python.Array(jsontext.Get(m.JSON, "provider_data"))
	for _, item := range items {
		payload := jsontext.Get([]byte(item), "payload")
		kind := textField([]byte(payload), "type")
		if textField([]byte(item), "api_format") != "messages" || kind == "" || kind == "text" || kind == "tool_use" {
			continue // of another API, or the place of a text or call
		}
		blocks = append(blocks, json.RawMessage(jsontext.Python.AppendValue(nil, payload)))
	}
	if len(blocks) == 0 && textField(m.JSON, "reasoning_content") != "" {
		w.drop(m, "reasoning left out: it is not signed, and the API refuses it")
	}
	return blocks
}

// blocks is the texts and images of a message, and parts that are blocks of the
// API already.
func (w *anthropic) blocks(m Message) (blocks []json.RawMessage) {
	content := jsontext.Get(m.JSON, "content")
	if jsontext.IsText(content) {
		if said := jsontext.Text(content); strings.TrimSpace(said) != "" {
			blocks = append(blocks, textBlock(said))
		}
		return blocks
	}
	parts, _ := jsontext.Python.Array(content)
	for _, part := range parts {
		said, url := partText(part), textField([]byte(jsontext.Get([]byte(part), "image_url")), "url")
		switch {
		case strings.TrimSpace(said) != "":
			blocks = append(blocks, textBlock(said))
		case url != "":
			blocks = append(blocks, picture(url))
		case strings.HasPrefix(jsontext.Get([]byte(part), "source"), "{"):
			blocks = append(blocks, json.RawMessage(jsontext.Python.AppendValue(nil, part)))
		default:
			w.drop(m, "a part of the message is neither text nor an image")
		}
	}
	return blocks
}

// uses is the tool calls of a message.
func (w *anthropic) uses(m Message) (blocks []json.RawMessage) {
	list, _ := jsontext.Python.Array(jsontext.Get(m.JSON, "tool_calls"))
	for _, call := range list {
		name, arguments := calls.Called(json.RawMessage(call))
		input := "{}"
		if strings.TrimSpace(arguments) != "" {
			members, err := jsontext.Python.Object(arguments)
			if err != nil {
				w.drop(m, "the arguments of a call are not a JSON object and are passed on as text")
				members = []jsontext.Member{text("arguments", arguments)}
			}
			input = string(jsontext.Python.AppendMembers(nil, members))
		}
		blocks = append(blocks, object(text("type", "tool_use"), text("id", w.id(textField([]byte(call), "id"))),
			text("name", legal(name)), jsontext.Member{Name: "input", Value: input}))
	}
	return blocks
}

// finish checks the end of the conversation: the model would continue a message
// of the assistant.
func (w *anthropic) finish() {
	n := len(w.Turns)
	if n == 0 || w.Turns[n-1].Role == "user" {
		return
	}
	w.drop(Message{}, "the last message is the assistant's, which the model would continue: add a user message")
	content := w.Turns[n-1].Content
	last := content[len(content)-1]
	if said := textField(last, "text"); textField(last, "type") == "text" {
		content[len(content)-1] = textBlock(strings.TrimRightFunc(said, unicode.IsSpace)) // the API refuses whitespace there
	}
}

func textBlock(said string) json.RawMessage { return object(text("type", "text"), text("text", said)) }

// picture is an image that is in the message itself, or at a URL.
func picture(url string) json.RawMessage {
	source := object(text("type", "url"), text("url", url))
	kind, data, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	if ok && strings.HasPrefix(url, "data:") {
		source = object(text("type", "base64"), text("media_type", kind), text("data", data))
	}
	return object(text("type", "image"), jsontext.Member{Name: "source", Value: string(source)})
}

// legal replaces the characters of a name or id that the API does not accept, and
// leaves room for a number within its 128.
func legal(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	return name[:min(len(name), 120)]
}

func textField(value []byte, name string) string {
	return jsontext.Text(jsontext.Get(value, name))
}

// asJSON escapes only what JSON requires, and ends with a line end.
func asJSON(v any) []byte {
	text, err := jsontext.Marshal(v)
	if err != nil {
		panic(err) // all in it was written as JSON
	}
	return append(text, '\n')
}
