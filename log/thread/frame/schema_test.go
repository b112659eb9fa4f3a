package frame

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/internal/json/jsoncodec"
)

// compiled are the schemas; strict ones allow no additional fields.
func compiled(t *testing.T, name string, strict bool) *jsonschema.Schema {
	t.Helper()
	all := Schemas()
	if strict {
		for _, s := range all {
			if o := s.(object); o["anyOf"] == nil {
				o["additionalProperties"] = false
			}
		}
	}
	text, err := json.Marshal(object{"components": object{"schemas": all}})
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("http://x/frames.json", value); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("http://x/frames.json#/components/schemas/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// decoded is a frame with its numbers as text.
func decoded(t *testing.T, line []byte) object {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	return value.(object)
}

// TestSchemas validates real frames: they are valid, have no undescribed field, and
// are invalid without a required field or with one of another type.
func TestSchemas(t *testing.T) {
	src, err := os.ReadFile("testdata/frames.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	schemas := map[StreamKind]*jsonschema.Schema{Continuity: compiled(t, ThreadFrame, true), Session: compiled(t, SessionFrame, true)}
	seen := map[string]bool{}
	for line := range bytes.Lines(src) {
		e, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		schema := schemas[e.Kind()]
		if schema == nil {
			continue // a task
		}
		seen[e.Payload.Type()] = true
		fits := func(change func(object)) bool {
			o := decoded(t, line)
			change(o)
			for _, f := range e.Extra {
				delete(o, f.Name)
			}
			return schema.Validate(any(o)) == nil
		}
		if !fits(func(object) {}) {
			t.Errorf("it does not fit: %s", line)
		}
		if fits(func(o object) { delete(o, "seq") }) || fits(func(o object) { o["type"] = "unheard_of" }) || fits(func(o object) { o["seq"] = "1" }) || fits(func(o object) { o["more"] = 1 }) {
			t.Errorf("it fits whatever is in it: %s", line)
		}
	}
	for _, d := range payloadTypes {
		if !seen[d.name] {
			t.Errorf("no %s was looked at", d.name)
		}
	}
}

// TestRequiredFields leaves out each field: parser and schema agree on which are
// required, except for null, which the parser treats as missing.
func TestRequiredFields(t *testing.T) {
	src, err := os.ReadFile("testdata/frames.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(src) {
		e, _ := Parse(line)
		if _, ok := e.Payload.(*Other); ok {
			continue
		}
		for _, f := range jsoncodec.Fields(e.Payload.fields) {
			o := decoded(t, line)
			delete(o, f.Name)
			text, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Parse(text)
			legacy := e.Payload.Type() == "session_started" // of older logs
			if must := !f.Omitted && !f.Null && !legacy; (err != nil) != must {
				t.Errorf("%s without %s: %v", e.Payload.Type(), f.Name, err)
			}
		}
	}
}

func TestEveryPayloadIsDescribed(t *testing.T) {
	if len(payloadTypes) != len(everyPayload()) {
		t.Errorf("%d are, of %d", len(payloadTypes), len(everyPayload()))
	}
	for _, p := range payloadTypes {
		if p.doc == "" || p.new().Type() != p.name {
			t.Errorf("%s is not: %q, for a %T", p.name, p.doc, p.new())
		}
	}
}
