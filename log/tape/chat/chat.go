// Package chat turns the entries of a tape into messages for a model: in the form
// of OpenAI's chat completions, which is also that of Bub's entries, or for
// Anthropic's Messages API. Whatever happened to a tape, providers accept the
// result: each tool call is followed by its result, and each result has its call.
//
// It uses neither the disk nor the network.
package chat

import (
	"encoding/json"
	"fmt"
	"strings"

	"handoff/internal/json/jsontext"
	"handoff/log/tape"
	"handoff/log/tape/calls"
	"handoff/log/tape/entry"
)

// Options select what is left out of the messages.
type Options struct {
	// WithoutState leaves out the state of the anchor that the slice starts after,
	// as Bub does: then the model does not see the handoff.
	WithoutState bool
	// WithoutReasoning leaves out the reasoning of models, which some servers
	// refuse.
	WithoutReasoning bool
}

// Message is one message, and the entry that it was made from.
type Message struct {
	JSON  json.RawMessage // in the spelling of Python
	Entry int64           // id
}

// Dropped is an entry, or a part of one, that is not in the messages as it was.
type Dropped struct {
	Entry int64  `json:"entry" doc:"entry ID; 0 if the note is not about a single entry"`
	Why   string `json:"why"`
}

// Messages is the messages for a slice, and what had to be left out.
func Messages(s tape.Slice, o Options) (messages []Message, dropped []Dropped) {
	entries := make([]tape.Entry, 0, len(s.Entries))
	for _, e := range s.Entries {
		if jsontext.Get(e.Meta, "context") != "false" {
			entries = append(entries, e)
		}
	}
	w := writer{options: o, pairs: calls.Pair(entries), ids: map[string]bool{}}
	shown := s.Boundary != nil && !o.WithoutState // the state of the last anchor
	if shown {
		w.anchor(s.Boundary)
	}
	for i := range entries {
		switch e := &entries[i]; e.Kind {
		case tape.KindAnchor:
			w.anchor(e)
			shown = !o.WithoutState // otherwise as in Bub, which shows it twice
		case tape.KindMessage:
			if !shown || !e.IsStateMessage() {
				w.message(i, e)
			}
		case tape.KindToolCall:
			w.calls(i, e, callMembers(e))
		}
	}
	for _, orphan := range w.pairs.Orphans {
		w.drop(&entries[orphan.Index], "%d of its results without a call", orphan.Count)
	}
	return w.messages, w.dropped
}

type writer struct {
	options  Options
	pairs    calls.Pairs
	ids      map[string]bool // of calls: no two may be the same
	messages []Message
	dropped  []Dropped
}

func (w *writer) add(e *tape.Entry, message []byte) {
	w.messages = append(w.messages, Message{message, e.ID})
}

func (w *writer) drop(e *tape.Entry, format string, args ...any) {
	w.dropped = append(w.dropped, Dropped{e.ID, fmt.Sprintf(format, args...)})
}

// anchor adds an anchor in Bub's words.
func (w *writer) anchor(e *tape.Entry) {
	w.add(e, object(text("role", "assistant"), text("content", e.AnchorText())))
}

// message adds a message, if providers accept it.
func (w *writer) message(i int, e *tape.Entry) {
	members, err := jsontext.Python.Object(string(e.Payload))
	if err != nil {
		w.drop(e, "its payload is not JSON")
		return
	}
	members = w.inChatForm(members)
	role, content := "", ""
	for _, m := range members {
		switch {
		case m.Name == "role":
			role = jsontext.Text(m.Value)
		case m.Name == "content":
			content = m.Value
		}
	}
	said := jsontext.IsText(content) || strings.HasPrefix(content, "[")
	if content == `""` && strings.HasPrefix(jsontext.Get(e.Payload, "content"), "[") {
		said = false // none of its parts has this form
	}
	switch {
	case role == "tool": // added with its call
	case role == "assistant" && w.pairs.Calls[i] != nil:
		w.calls(i, e, members)
	case role != "user" && role != "assistant" && role != "system" && role != "developer":
		w.drop(e, "no provider knows the role %q", role)
	case !said:
		w.drop(e, "the message is empty")
	default:
		w.add(e, object(without(members, "tool_calls")...))
	}
}

// without is the members except one.
func without(members []jsontext.Member, name string) []jsontext.Member {
	kept := members[:0:0]
	for _, m := range members {
		if m.Name != name {
			kept = append(kept, m)
		}
	}
	return kept
}

// noResult is the result of a call for which none was recorded.
const noResult = "[no result was recorded: the call may have been carried out or not]"

// callMembers is the members of the message of an entry "tool_call": what the
// model wrote besides its calls.
func callMembers(e *tape.Entry) []jsontext.Member {
	members, err := jsontext.Python.Object(string(e.Payload))
	if err != nil {
		return nil
	}
	content := text("content", "")
	if said := jsontext.Get(e.Payload, "content"); jsontext.IsText(said) || strings.HasPrefix(said, "[") {
		content.Value = said
	}
	members = without(without(without(members, "calls"), "content"), "role")
	return append([]jsontext.Member{text("role", "assistant"), content}, members...)
}

// calls adds tool calls, and their results right after them. members are of the
// message that has the calls.
func (w *writer) calls(i int, e *tape.Entry, members []jsontext.Member) {
	batch := w.pairs.Calls[i]
	if batch == nil {
		w.drop(e, "it has no calls")
		return
	}
	members = without(w.inChatForm(members), "tool_calls")
	var asked []string
	var answers [][]byte
	for k, call := range batch.Calls {
		if call.Name == "" {
			w.drop(e, "call %d has no tool name", k+1)
			continue
		}
		id := w.idFor(call, k)
		asked = append(asked, callJSON(call, id))
		answers = append(answers, object(text("role", "tool"), resultContent(call.Result), text("tool_call_id", id), text("name", call.Name)))
	}
	switch said := jsontext.Get(object(members...), "content"); {
	case len(asked) > 0:
		members = append(members, jsontext.Member{Name: "tool_calls", Value: "[" + strings.Join(asked, ", ") + "]"})
	case said == `""` || !jsontext.IsText(said) && !strings.HasPrefix(said, "["):
		return
	}
	w.add(e, object(members...))
	for _, a := range answers {
		w.add(e, a)
	}
}

// idFor is the call's id, or a new one if another call has that.
func (w *writer) idFor(call calls.Call, k int) string {
	id := call.ID
	if id == "" {
		id = fmt.Sprintf("call_%d_%d", call.Entry, k)
	}
	for n := 2; w.ids[id]; n++ {
		id = fmt.Sprintf("%s_%d", strings.TrimSuffix(id, fmt.Sprintf("_%d", n-1)), n)
	}
	w.ids[id] = true
	return id
}

// callJSON is the call as it was, if it is valid.
func callJSON(call calls.Call, id string) string {
	function := jsontext.Get(call.Raw, "function")
	custom := jsontext.Get(call.Raw, "custom")
	inOrder := call.ID == id && jsontext.IsText(jsontext.Get(call.Raw, "type")) &&
		(jsontext.IsText(jsontext.Get([]byte(function), "arguments")) || function == "" && jsontext.IsText(jsontext.Get([]byte(custom), "input")))
	if inOrder {
		return string(jsontext.Python.AppendValue(nil, string(call.Raw)))
	}
	arguments := call.Arguments
	if arguments == "" {
		arguments = "{}"
	}
	f := object(text("name", call.Name), text("arguments", arguments))
	return string(object(text("id", id), text("type", "function"), member("function", f)))
}

func object(members ...jsontext.Member) []byte { return jsontext.Python.AppendMembers(nil, members) }

// text is a member whose value is text.
func text(name, value string) jsontext.Member { return entry.TextMember(name, value) }
