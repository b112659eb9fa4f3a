// Package render writes a context bundle in the format of a model's provider: the
// `input` of Open Responses, the `system` and `messages` of Anthropic, the
// `messages` of OpenAI's chat, or one text without roles.
//
// The same bundle and artifacts give the same bytes. What a provider would refuse is
// fixed, and what this package cannot read is left out, each with a [Note]. The
// package uses neither disk nor network: [Options] has a function to read artifacts.
package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"handoff/internal/json/jsontext"
	"handoff/internal/json/toolform"
	"handoff/log/artifact"
	"handoff/log/bundle"
)

// Options configure a rendering.
type Options struct {
	// Artifact reads the artifacts that the bundle refers to. Without it a bundle with
	// a summary_ref or a handoff_bundle_ref is an error.
	Artifact func(artifact.ID) ([]byte, error)
	// InlineBytes is the size up to which the text of an artifact_ref is included; 0
	// renders references only.
	InlineBytes int
	// Tools are added to the request in the provider's form; nil for no `tools`. A
	// prompt cannot have any.
	Tools []Tool
}

// Tool is a tool definition; see [ParseTools].
type Tool = toolform.Tool

// ParseTools reads tool definitions in the form of any of the providers, or of an
// MCP server: one, several one after another, a list, or an object with a list as
// `tools`.
func ParseTools(src []byte) ([]Tool, error) { return toolform.Parse(src) }

// declared are the tools in a provider's form, with notes on what it cannot
// represent.
func (o Options) declared(form string) (all []any, notes []Note, err error) {
	for _, t := range o.Tools {
		tool, lost, err := t.In(form)
		if err != nil {
			return nil, nil, err
		}
		if len(lost) > 0 {
			notes = append(notes, Note{-1, fmt.Sprintf("tool %s: left out what the format does not support: %s", t.Name, strings.Join(lost, ", "))})
		}
		all = append(all, tool)
	}
	return all, notes, nil
}

// Rendering is one provider's form of a bundle.
type Rendering struct {
	// Bytes end with a newline. They are a JSON object with members of the provider's
	// request, or the text of [Prompt].
	Bytes []byte
	Notes []Note // in the order of the items
}

// Note is a difference from the bundle.
type Note struct {
	Item int // index in the bundle's items, -1 for the rendering as a whole
	Text string
}

func (n Note) String() string {
	if n.Item < 0 {
		return n.Text
	}
	return fmt.Sprintf("item %d: %s", n.Item, n.Text)
}

// Format is a rendering by name.
type Format struct {
	Name   string
	About  string // one line for people
	Render func(bundle.Context, Options) (Rendering, error)
}

// Formats are all formats.
var Formats = [...]Format{
	{"openresponses", "`input` of an Open Responses request, as RIP writes it", OpenResponses},
	{"anthropic", "`system` and `messages` of an Anthropic Messages request", Anthropic},
	{"chat", "`messages` of an OpenAI chat completions request", Chat},
	{"prompt", "one text for a program that reads a prompt", Prompt},
}

// Fixed is a format that writes the same text for any context.
func Fixed(name, text string) Format {
	return Format{Name: name, Render: func(bundle.Context, Options) (Rendering, error) { return Rendering{Bytes: []byte(text)}, nil }}
}

// FormatOf is the format with that name; false if there is none.
func FormatOf(name string) (Format, bool) {
	for _, f := range Formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

type roleMessage struct {
	Type    string `json:"type,omitempty"`
	Role    string `json:"role"`
	Content string `json:"content"`
}

// OpenResponses is `{"input":[…]}`: one message a part, in the bundle's order.
// Messages of any role may hold their content as one text there.
func OpenResponses(c bundle.Context, o Options) (Rendering, error) {
	input, tools, notes, err := messages(c, o, toolform.OpenResponses, "message")
	if err != nil {
		return Rendering{}, err
	}
	return asJSON(struct {
		Input []roleMessage `json:"input"`
		Tools []any         `json:"tools,omitempty"`
	}{input, tools}, notes)
}

// messages are the parts as one message each, and the tools in a form.
func messages(c bundle.Context, o Options, form, kind string) (all []roleMessage, tools []any, notes []Note, err error) {
	parts, notes, err := Parts(c, o)
	if err != nil {
		return nil, nil, nil, err
	}
	all = make([]roleMessage, len(parts))
	for i, p := range parts {
		all[i] = roleMessage{kind, p.Role, p.Text}
	}
	tools, lost, err := o.declared(form)
	return all, tools, append(notes, lost...), err
}

// Chat is `{"messages":[…]}`: one message a part, in the bundle's order, with
// unchanged roles; `developer` needs a model of 2024-12 or newer.
func Chat(c bundle.Context, o Options) (Rendering, error) {
	all, tools, notes, err := messages(c, o, toolform.OpenAI, "")
	if err != nil {
		return Rendering{}, err
	}
	return asJSON(struct {
		Messages []roleMessage `json:"messages"`
		Tools    []any         `json:"tools,omitempty"`
	}{all, tools}, notes)
}

// asJSON uses only the escapes that JSON requires: <, > and & are not escaped.
func asJSON(v any, notes []Note) (Rendering, error) {
	text, err := jsontext.Marshal(v)
	if err != nil {
		return Rendering{}, err
	}
	return Rendering{append(text, '\n'), notes}, nil
}

// inOrder sorts notes by item, those on the whole last.
func inOrder(notes []Note) []Note {
	slices.SortStableFunc(notes, func(a, b Note) int { return cmp.Compare(uint(a.Item), uint(b.Item)) })
	return notes
}
