package tape

import (
	"encoding/json"
	"strings"

	"handoff/internal/json/jsontext"
)

// Call is one call of a tool, as a model has asked for it.
type Call struct {
	Entry     int64  `json:"entry"` // the id of the entry that it stands in
	ID        string `json:"id"`    // "" if it has none
	Name      string `json:"name"`  // of the tool, "" if it has none
	Arguments string `json:"arguments"`

	Raw json.RawMessage `json:"-"` // as the model gave it
	// Result is the JSON value that came back, nil if none was recorded;
	// Answer is the entry that it stands in.
	Result json.RawMessage `json:"-"`
	Answer int64           `json:"-"`
}

// Calls are the calls of one entry.
type Calls struct {
	Calls    []Call
	runID    string
	answered bool
}

// Pairs says which calls the entries have, by the index of their entry, and
// how many results there are whose call is not among them.
type Pairs struct {
	Calls   map[int]*Calls
	Orphans []Orphan
}

// Orphan is a result without its call.
type Orphan struct {
	Index int // of its entry
	Count int // of results
}

// Pair finds the result of each call. An entry "tool_result" answers the last
// entry "tool_call" before it that has none, by position, and never that of
// another run where both say of which they are; a message of a tool answers the
// call whose id it has.
func Pair(entries []Entry) Pairs {
	p := Pairs{Calls: map[int]*Calls{}}
	var open []*Calls // in order
	for i := range entries {
		e := &entries[i]
		switch e.Kind {
		case KindToolCall:
			if c := callsOf(e, "calls"); c != nil {
				p.Calls[i] = c
				open = append(open, c)
			}
		case KindToolResult:
			p.orphan(i, answer(open, e))
		case KindMessage:
			if c := callsOf(e, "tool_calls"); c != nil {
				p.Calls[i] = c
				open = append(open, c)
			} else if role, _ := memberText(e.Payload, "role"); role == "tool" {
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

// callsOf reads the calls of an entry; what is no object is passed over.
func callsOf(e *Entry, name string) *Calls {
	list := jsontext.Get(e.Payload, name)
	if !strings.HasPrefix(list, "[") {
		return nil
	}
	items, err := jsontext.Python.Array(list)
	if err != nil {
		return nil
	}
	c := &Calls{}
	c.runID, _ = memberText(e.Meta, "run_id")
	for _, item := range items {
		if !strings.HasPrefix(item, "{") {
			continue
		}
		call := Call{Entry: e.ID, Raw: json.RawMessage(item)}
		call.ID, _ = memberText(call.Raw, "id")
		call.Name, call.Arguments = CalledIn(call.Raw)
		c.Calls = append(c.Calls, call)
	}
	if len(c.Calls) == 0 {
		return nil
	}
	return c
}

// CalledIn is the tool that a call names, and its arguments. Chat completions
// have them in the call's function, or for a tool that takes text in its custom;
// Bub since 0.6 has them in the call itself.
func CalledIn(call json.RawMessage) (name, arguments string) {
	from, what := call, "arguments"
	if function := memberObject(call, "function"); function != nil {
		from = function
	} else if custom := memberObject(call, "custom"); custom != nil {
		from, what = custom, "input"
	}
	name, _ = memberText(from, "name")
	switch value := jsontext.Get(from, what); {
	case jsontext.IsText(value):
		arguments = jsontext.Text(value)
	case value != "":
		arguments = string(jsontext.Python.AppendValue(nil, value))
	}
	return name, arguments
}

// answer gives results to the calls that they belong to, and returns how many
// belong to none.
func answer(open []*Calls, e *Entry) (orphans int) {
	list := jsontext.Get(e.Payload, "results")
	if !strings.HasPrefix(list, "[") {
		return 0
	}
	results, err := jsontext.Python.Array(list)
	if err != nil {
		return 0
	}
	runID, _ := memberText(e.Meta, "run_id")
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

func answerByID(open []*Calls, e *Entry) (orphans int) {
	id, ok := memberText(e.Payload, "tool_call_id")
	if !ok { // since Bub 0.6 it bears the call itself
		id, _ = memberText(memberObject(e.Payload, "tool_call"), "id")
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

// toolContent is the content of a tool's message: text, or parts in the form in which
// Bub keeps a result of parts.
func toolContent(e *Entry) json.RawMessage {
	content := or(jsontext.Get(e.Payload, "content"), `""`)
	if !strings.HasPrefix(content, "[") {
		return json.RawMessage(content)
	}
	return jsontext.Python.AppendMembers(nil, []jsontext.Member{text("type", "tool_content"), {Name: "content", Value: content}})
}

// Unfinished are the calls without a result.
func Unfinished(entries []Entry) (calls []Call) {
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
