// Package tool is the tool by which a model hands off itself, as its provider
// is told of it, and what the model's call of it asks for.
//
// It takes what the tool of any Bub takes, and the seed's: name, summary,
// next_steps and state, none of which has to be given.
package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"handoff"
	"handoff/internal/json/jsontext"
	"handoff/internal/json/toolform"
	"handoff/tape/comma"
)

// Name is the tool's name for models: no provider takes the dot of
// "tape.handoff", which Bub also writes as an underscore for them.
const Name = "tape_handoff"

const about = "Hand off: add an anchor to the tape, from which on the context begins. All that came before is out of sight then, " +
	"so say in summary what must not be lost, and in next_steps what is to be done. Use it when a phase of the work is done, or the context has become long."

// parameters is the JSON Schema of the tool's arguments.
type parameters struct {
	Type       string     `json:"type"`
	Properties properties `json:"properties"`
	More       bool       `json:"additionalProperties"`
}

type properties struct {
	Name      property `json:"name"`
	Summary   property `json:"summary"`
	NextSteps property `json:"next_steps"`
	State     property `json:"state"`
}

type property struct {
	Type  string `json:"type"`
	About string `json:"description"`
}

func schema() parameters {
	return parameters{Type: "object", Properties: properties{
		Name:      property{"string", `Name of the anchor, such as "phase/design-complete"; "handoff" if it is not given.`},
		Summary:   property{"string", "What was done and found, for a successor who knows nothing else."},
		NextSteps: property{"string", "What is to be done next."},
		State:     property{"object", "Further facts to carry over, as a JSON object."},
	}}
}

// Schema is the tool as it is told to a provider: an element of `tools` in a
// request, or in the answer of an MCP server to tools/list. It ends with a line
// end.
func Schema(form string) ([]byte, error) {
	parameters, err := json.Marshal(schema())
	if err != nil {
		return nil, err
	}
	return toolform.Tool{Name: Name, Title: comma.Handoff, About: about, Parameters: parameters}.JSON(form)
}

// Request reads the arguments of a call, a JSON object. An argument that is
// null, or an empty name, was not given. The error is handoff.ErrInvalid, and
// says what a model has to write.
func Request(arguments []byte) (comma.HandoffRequest, error) {
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = []byte("{}") // what some models write for no arguments
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

// listed is a list of steps, one a line, as some write them.
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
