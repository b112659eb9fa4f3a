// Package toolform reads and writes tool definitions for model providers: the same name,
// description and JSON Schema of the arguments in four forms.
package toolform

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"handoff/internal/json/jsontext"
)

// Tool is a tool definition.
type Tool struct {
	Name, Title, About string
	Parameters         json.RawMessage // the JSON Schema of its arguments
	Strict             *bool           // nil if unspecified

	raw  json.RawMessage // as it was read
	form string          // the form of raw, "" for other definitions
	more []string        // members of raw that other forms do not have
}

// The forms: elements of `tools` in a request to OpenAI's chat completions, to
// Open Responses and to Anthropic's Messages, and in the answer of an MCP server
// to tools/list.
const (
	OpenAI        = "openai"
	OpenResponses = "openresponses"
	Anthropic     = "anthropic"
	MCP           = "mcp"
)

// Forms are the names of the forms.
func Forms() []string { return []string{OpenAI, OpenResponses, Anthropic, MCP} }

// definition has the members of all forms, in an order that suits each of them.
type definition struct {
	Type        string          `json:"type,omitempty"`
	Function    json.RawMessage `json:"function,omitempty"` // a definition, of OpenAI
	Name        string          `json:"name,omitempty"`
	Title       string          `json:"title,omitempty"`
	About       string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	InputSchema json.RawMessage `json:"input_schema,omitempty"` // of Anthropic
	MCPSchema   json.RawMessage `json:"inputSchema,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
}

// In returns the definition in a form, and the names of the members that the form
// cannot represent. A definition that was read in that form is returned as it was
// read, and so is a tool that is not a function, such as a search by the provider.
func (t Tool) In(form string) (declared any, lost []string, err error) {
	if t.raw != nil && (t.form == form || t.form == "") {
		return t.raw, nil, nil
	}
	lost = slices.Clone(t.more)
	if t.Strict != nil && (form == Anthropic || form == MCP) {
		lost = append(lost, "strict")
	}
	schema := t.Parameters
	if schema == nil {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	d := definition{Name: t.Name, About: t.About}
	switch form {
	case OpenAI:
		d.Parameters, d.Strict = schema, t.Strict
		function, err := jsontext.Marshal(d)
		return definition{Type: "function", Function: function}, lost, err
	case OpenResponses:
		d.Type, d.Parameters, d.Strict = "function", schema, t.Strict
	case Anthropic:
		d.InputSchema = schema
	case MCP:
		d.Title, d.MCPSchema = t.Title, schema
	default:
		return nil, nil, fmt.Errorf("unknown form %q (%s)", form, strings.Join(Forms(), ", "))
	}
	return d, lost, nil
}

// JSON returns the definition in a form, indented, with a line end.
func (t Tool) JSON(form string) ([]byte, error) {
	declared, _, err := t.In(form)
	if err != nil {
		return nil, err
	}
	return jsontext.MarshalIndent(declared)
}
