// Package calls pairs the tool calls of a model with their results, in every
// form in which Bub and chat completions record them.
//
// It gets the entries of a tape in order, and knows nothing else about tapes.
package calls

import (
	"cmp"
	"encoding/json"
	"strings"

	"handoff/internal/json/jsontext"
	"handoff/log/tape/entry"
)

// Call is one tool call that a model requested.
type Call struct {
	Entry     int64  `json:"entry"` // id of the entry that it is in
	ID        string `json:"id"`    // "" if it has none
	Name      string `json:"name"`  // of the tool, "" if it has none
	Arguments string `json:"arguments"`

	Raw json.RawMessage `json:"-"` // as the model wrote it
	// Result is the JSON value of the result, nil if none was recorded; Answer
	// is the id of the entry that it is in.
	Result json.RawMessage `json:"-"`
	Answer int64           `json:"-"`
}

// Calls are the calls of one entry.
type Calls struct {
	Calls    []Call
	runID    string
	answered bool
}

// Pairs is the calls by the index of their entry, and the results without a
// call.
type Pairs struct {
	Calls   map[int]*Calls
	Orphans []Orphan
}

// Orphan is an entry with results whose call is not among the entries.
type Orphan struct {
	Index int // of its entry
	Count int // of results
}

// Pair finds the result of each call. An entry "tool_result" answers the last
// entry "tool_call" before it that has no result, in order of position, unless
// both name a run and the runs differ; a message of a tool answers the call of
// its id.
func Pair(entries []entry.Entry) Pairs {
	p := Pairs{Calls: map[int]*Calls{}}
	var open []*Calls // in order
	for i := range entries {
		e := &entries[i]
		switch e.Kind {
		case entry.KindToolCall:
			if c := callsOf(e, "calls"); c != nil {
				p.Calls[i] = c
				open = append(open, c)
			}
		case entry.KindToolResult:
			p.orphan(i, answer(open, e))
		case entry.KindMessage:
			if c := callsOf(e, "tool_calls"); c != nil {
				p.Calls[i] = c
				open = append(open, c)
			} else if role, _ := entry.Text(e.Payload, "role"); role == "tool" {
				p.orphan(i, answerByID(open, e))
			}
		}
	}
	return p
}

func (p *Pairs) orphan(index, count int) {
	if count > 0 {
		p.Orphans = append(p.Orphans, Orphan{index, count})
	}
}

// callsOf reads the calls of an entry; items that are not objects are ignored.
func callsOf(e *entry.Entry, name string) *Calls {
	list := jsontext.Get(e.Payload, name)
	if !strings.HasPrefix(list, "[") {
		return nil
	}
	items, err := jsontext.Python.Array(list)
	if err != nil {
		return nil
	}
	c := &Calls{}
	c.runID, _ = entry.Text(e.Meta, "run_id")
	for _, item := range items {
		if !strings.HasPrefix(item, "{") {
			continue
		}
		call := Call{Entry: e.ID, Raw: json.RawMessage(item)}
		call.ID, _ = entry.Text(call.Raw, "id")
		call.Name, call.Arguments = Called(call.Raw)
		c.Calls = append(c.Calls, call)
	}
	if len(c.Calls) == 0 {
		return nil
	}
	return c
}

// Called is the tool that a call names, and its arguments. Chat completions
// have them in "function", or in "custom" for a tool that takes text; Bub since
// 0.6 has them in the call itself.
func Called(call json.RawMessage) (name, arguments string) {
	from, what := call, "arguments"
	if function := entry.Object(call, "function"); function != nil {
		from = function
	} else if custom := entry.Object(call, "custom"); custom != nil {
		from, what = custom, "input"
	}
	name, _ = entry.Text(from, "name")
	switch value := jsontext.Get(from, what); {
	case jsontext.IsText(value):
		arguments = jsontext.Text(value)
	case value != "":
		arguments = string(jsontext.Python.AppendValue(nil, value))
	}
	return name, arguments
}

// answer assigns results to their calls, and returns how many have none.
func answer(open []*Calls, e *entry.Entry) (orphans int) {
	list := jsontext.Get(e.Payload, "results")
	if !strings.HasPrefix(list, "[") {
		return 0
	}
	results, err := jsontext.Python.Array(list)
	if err != nil {
		return 0
	}
	runID, _ := entry.Text(e.Meta, "run_id")
	for i := len(open) - 1; i >= 0; i-- {
		c := open[i]
		if c.answered || runID != "" && c.runID != "" && runID != c.runID {
			continue
		}
		c.answered = true
		for k := range min(len(results), len(c.Calls)) {
			c.Calls[k].Result, c.Calls[k].Answer = json.RawMessage(results[k]), e.ID
		}
		return max(0, len(results)-len(c.Calls))
	}
	return len(results)
}

func answerByID(open []*Calls, e *entry.Entry) (orphans int) {
	id, ok := entry.Text(e.Payload, "tool_call_id")
	if !ok { // since Bub 0.6 the message contains the call
		id, _ = entry.Text(entry.Object(e.Payload, "tool_call"), "id")
	}
	for i := len(open) - 1; i >= 0 && id != ""; i-- {
		for k := range open[i].Calls {
			c := &open[i].Calls[k]
			if c.ID != id || c.Result != nil {
				continue
			}
			c.Result, c.Answer = toolContent(e), e.ID
			open[i].answered = true
			return 0
		}
	}
	return 1
}

// toolContent is the content of a tool's message: text, or parts in the form
// in which Bub records a result of several parts.
func toolContent(e *entry.Entry) json.RawMessage {
	content := cmp.Or(jsontext.Get(e.Payload, "content"), `""`)
	if !strings.HasPrefix(content, "[") {
		return json.RawMessage(content)
	}
	return jsontext.Python.AppendMembers(nil, []jsontext.Member{entry.TextMember("type", "tool_content"), {Name: "content", Value: content}})
}

// Unfinished are the calls without a result.
func Unfinished(entries []entry.Entry) (calls []Call) {
	p := Pair(entries)
	for i := range entries {
		if c := p.Calls[i]; c != nil {
			for _, call := range c.Calls {
				if call.Result == nil {
					calls = append(calls, call)
				}
			}
		}
	}
	return calls
}
