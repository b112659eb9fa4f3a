// Package tool is the tool with which a model hands off: its definition for
// providers, and the arguments of a call.
//
// It accepts the arguments of every version of Bub: name, summary, next_steps and
// state, all of them optional. It is apart from package comma, whose callers offer no tools to
// providers.
package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/json/jsontext"
	"handoff/internal/json/toolform"
	"handoff/log/tape/comma"
)

// Name is the tool's name for models. Providers do not accept the dot of
// "tape.handoff"; Bub replaces it in the same way.
const Name = "tape_handoff"

// About is what the tool does, for models.
const About = "Hand off: add an anchor to the tape, from which the context starts. Earlier entries are then no longer visible, " +
	"so write in summary what must not be lost, and in next_steps what to do next. Use it when a phase of the work is done, or the context has become long."

// parameters is the JSON Schema of the tool's arguments, as models of a loop get it whose tape is known.
const parameters = `{"type":"object","properties":{` + members + `},"additionalProperties":false}`

// Served is the JSON Schema of the arguments that `handoff mcp --tapes` takes: any tape may be meant, and a client
// may repeat a call.
const Served = `{"type":"object","properties":{"tape":{"type":"string","description":"Name of the tape; default: main"},` + members +
	`,"idempotency_key":{"type":"string"}},"additionalProperties":false}`

const members = `"name":{"type":"string","description":"Name of the anchor, such as \"phase/design-complete\"; \"handoff\" if it is not given."},` +
	`"summary":{"type":"string","description":"What was done and found, for a successor who knows nothing else."},` +
	`"next_steps":{"type":"string","description":"What to do next."},` +
	`"state":{"type":"object","description":"Further facts to carry over, as a JSON object."}`

// Schema is the tool definition for a provider, an element of `tools` in a request; for MCP it is the one that
// `handoff mcp --tapes` serves. It ends with a line end.
func Schema(form string) ([]byte, error) {
	arguments := parameters
	if form == toolform.MCP {
		arguments = Served
	}
	return toolform.Tool{Name: Name, Title: comma.Handoff, About: About, Parameters: json.RawMessage(arguments)}.JSON(form)
}

// called is the name and the arguments of a call, which are an object or a text with one: chat completions and Ollama
// {"function": {"name", "arguments"}}, Anthropic {"type": "tool_use", "name", "input"}, Responses {"type": "function_call", "name",
// "arguments"}, Gemini {"functionCall": {"name", "args"}}, MCP {"name", "arguments"}. No argument of the tool has one of these names.
func called(call []byte) (name string, arguments []byte, ok bool) {
	of, kind := string(call), jsontext.Text(jsontext.Get(call, "type"))
	ok = kind == "tool_use" || kind == "function_call"
	for _, wrapper := range []string{"function", "functionCall"} {
		if f := jsontext.Get(call, wrapper); strings.HasPrefix(f, "{") {
			of, ok = f, true
		}
	}
	given := ""
	for _, in := range []string{"arguments", "input", "args"} {
		if v := jsontext.Get([]byte(of), in); v != "" {
			given, ok = v, true
		}
	}
	if jsontext.IsText(given) {
		given = jsontext.Text(given)
	}
	return jsontext.Text(jsontext.Get([]byte(of), "name")), []byte(given), ok
}

// Request reads a call of the tool, in the form of any provider, or its arguments alone, a
// JSON object. An argument that is null,
// or an empty name, was not given. The error is handoff.ErrInvalid, and explains to
// the model what to write.
func Request(arguments []byte) (comma.HandoffRequest, error) {
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = []byte("{}") // what some models write for no arguments
	}
	if name, given, ok := called(arguments); ok {
		if name != Name && name != comma.Handoff {
			return comma.HandoffRequest{}, invalid(fmt.Errorf("the call is of the tool %.60q, not of %s", name, Name))
		}
		if arguments = given; len(bytes.TrimSpace(given)) == 0 {
			arguments = []byte("{}")
		}
	}
	members, err := jsontext.Python.Object(string(arguments))
	if err != nil {
		return comma.HandoffRequest{}, invalid(fmt.Errorf("the arguments of %s are not a JSON object: %w", Name, err))
	}
	c := comma.Command{Name: comma.Handoff}
	for _, m := range members {
		value := m.Value
		switch isText := jsontext.IsText(value); {
		case value == "null":
			continue
		case m.Name == "state" && !strings.HasPrefix(value, "{"):
			return comma.HandoffRequest{}, invalid(errors.New("state: want an object"))
		case m.Name == "state":
			value = string(jsontext.Python.AppendValue(nil, value))
		case isText:
			value = jsontext.Text(value)
		case m.Name == "next_steps" && strings.HasPrefix(value, "["):
			value = listed(value)
		default:
			return comma.HandoffRequest{}, invalid(fmt.Errorf("%.40s: want a text", m.Name))
		}
		c.Options = append(c.Options, comma.Option{Name: m.Name, Value: value})
	}
	return c.AsHandoff()
}

// listed is a list of steps, one per line: some models write a list.
func listed(list string) string {
	items, _ := jsontext.Python.Array(list)
	for i, item := range items {
		if jsontext.IsText(item) {
			items[i] = jsontext.Text(item)
		}
	}
	return strings.Join(items, "\n")
}

func invalid(err error) error { return fmt.Errorf("%w: %w", err, handoff.ErrInvalid) }
