package toolform

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Parse reads definitions in any of the forms, also mixed: one tool, several in a row, a
// list, or an object with the list as `tools`, as in a request and in the answer of an
// MCP server. Names must be unique.
func Parse(src []byte) (all []Tool, err error) {
	d := json.NewDecoder(bytes.NewReader(src))
	for {
		var raw json.RawMessage
		if err := d.Decode(&raw); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("not JSON: %w", err)
		}
		if all, err = appendTools(all, raw); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no tools found: want a list of tool definitions")
	}
	return all, nil
}

func appendTools(all []Tool, raw json.RawMessage) ([]Tool, error) {
	var list []json.RawMessage
	var request struct{ Tools []json.RawMessage }
	switch {
	case json.Unmarshal(raw, &list) == nil:
	case json.Unmarshal(raw, &request) == nil && request.Tools != nil:
		list = request.Tools
	default:
		list = []json.RawMessage{raw}
	}
	for _, one := range list {
		t, err := parse(one)
		if err == nil && t.Name != "" && slices.ContainsFunc(all, func(other Tool) bool { return other.Name == t.Name }) {
			err = fmt.Errorf("%q is declared twice", t.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("tool %d: %w", len(all)+1, err)
		}
		all = append(all, t)
	}
	return all, nil
}

func parse(raw json.RawMessage) (Tool, error) {
	var m definition
	if err := json.Unmarshal(raw, &m); err != nil {
		return Tool{}, errors.New("want an object")
	}
	t := Tool{raw: raw, form: formOf(m)}
	switch t.form {
	case "":
		if m.Type == "" {
			return Tool{}, errors.New("want a name and a schema (parameters, input_schema or inputSchema), or a type")
		}
		return t, nil
	case OpenAI:
		raw = m.Function
		m = definition{}
		if err := json.Unmarshal(raw, &m); err != nil || m.Name == "" {
			return Tool{}, errors.New("function: want an object with a name")
		}
		t.Parameters = m.Parameters
	case OpenResponses:
		t.Parameters = m.Parameters
	case Anthropic:
		t.Parameters = m.InputSchema
	case MCP:
		t.Parameters = m.MCPSchema
	}
	t.Name, t.Title, t.About, t.Strict = m.Name, m.Title, m.About, m.Strict
	t.more = others(raw)
	return t, nil
}

// formOf is the form of a definition, "" if it is not a function of any form.
func formOf(m definition) string {
	switch {
	case m.Type == "function" && m.Function != nil:
		return OpenAI
	case m.Type == "function" && m.Name != "":
		return OpenResponses
	case m.Name != "" && m.InputSchema != nil && (m.Type == "" || m.Type == "custom"):
		return Anthropic
	case m.Name != "" && m.MCPSchema != nil:
		return MCP
	case m.Name != "" && m.Type == "" && m.Parameters != nil:
		return OpenResponses // without its type, as is common
	}
	return ""
}

var known = []string{"type", "name", "title", "description", "function", "parameters", "input_schema", "inputSchema", "strict"}

// others are the names of the members that some forms lack.
func others(raw json.RawMessage) (names []string) {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(raw, &all) // it is an object
	for name := range all {
		if !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
