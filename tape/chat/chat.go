// Package chat turns entries of a tape into the messages that a model is
// given, in the form of OpenAI's chat completions, which is also that of the
// tape itself. Whatever a tape has been through, what comes out is a sequence
// that a provider takes: every call of a tool is answered at once, and every
// answer has its call.
//
// It is pure: it knows neither the disk nor the network.
package chat

import (
	"encoding/json"
	"fmt"
	"strings"

	"handoff/internal/json/jsontext"
	"handoff/tape"
	"handoff/tape/calls"
)

// Options say what else a model is to be told.
type Options struct {
	// WithoutState leaves out the state of the anchor that the slice begins
	// behind, as Bub does: then what was handed off is not seen, unless by a
	// tool's call that comes behind it.
	WithoutState bool
	// WithoutReasoning leaves out what models have thought, which some servers
	// refuse to be given.
	WithoutReasoning bool
}

// Message is one message, and the entry that it is made of.
type Message struct {
	JSON  json.RawMessage // written as Python writes it
	Entry int64           // id
}

// Dropped is an entry, or a part of one, that could not be told.
type Dropped struct {
	Entry int64
	Why   string
}

// Messages are the messages for a slice, and what had to be left out.
func Messages(s tape.Slice, o Options) (messages []Message, dropped []Dropped) {
	entries := make([]tape.Entry, 0, len(s.Entries))
	for _, e := range s.Entries {
		if jsontext.Get(e.Meta, "context") != "false" {
			entries = append(entries, e)
		}
	}
	w := writer{options: o, pairs: calls.Pair(entries), ids: map[string]bool{}}
	told := s.Boundary != nil && !o.WithoutState // the state of the anchor before
	if told {
		w.anchor(s.Boundary)
	}
	for i := range entries {
		switch e := &entries[i]; e.Kind {
		case tape.KindAnchor:
			w.anchor(e)
			told = !o.WithoutState // else all is told as Bub tells it, twice
		case tape.KindMessage:
			if !told || !e.IsStateMessage() {
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

// anchor tells of an anchor in Bub's words.
func (w *writer) anchor(e *tape.Entry) {
	w.add(e, object(text("role", "assistant"), text("content", e.AnchorText())))
}

// message passes on what is a message that a provider takes.
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
		said = false // nothing of its parts is for this form
	}
	switch {
	case role == "tool": // stands behind its call
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

// without leaves out a member: calls of which there are none are refused.
func without(members []jsontext.Member, name string) []jsontext.Member {
	kept := members[:0:0]
	for _, m := range members {
		if m.Name != name {
			kept = append(kept, m)
		}
	}
	return kept
}

// noResult is the answer to a call that none was recorded for.
const noResult = "[no result was recorded: the call may have been carried out or not]"

// callMembers are those of the message that an entry "tool_call" stands for:
// what the model has said and thought beside its calls.
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

// calls writes what was called, and the results right behind it. members are
// those of the message that the calls stand in.
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

// idFor is the call's id, or one that no other call has.
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

// callJSON is the call as it was, if that is in order.
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

func text(name, value string) jsontext.Member {
	return jsontext.Member{Name: name, Value: string(jsontext.AppendText(nil, value))}
}
