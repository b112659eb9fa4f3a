package tool

import (
	"encoding/json"
	"errors"
	"testing"

	"handoff/document/handoff"
)

func TestSchema(t *testing.T) {
	for form, where := range map[string]func(map[string]any) (name, schema any){
		"openai": func(m map[string]any) (any, any) {
			f := m["function"].(map[string]any)
			return f["name"], f["parameters"]
		},
		"anthropic": func(m map[string]any) (any, any) { return m["name"], m["input_schema"] },
		"mcp":       func(m map[string]any) (any, any) { return m["name"], m["inputSchema"] },
	} {
		src, err := Schema(form)
		if err != nil {
			t.Fatal(err)
		}
		var tool map[string]any
		if err := json.Unmarshal(src, &tool); err != nil {
			t.Fatal(err)
		}
		name, s := where(tool)
		schema := s.(map[string]any)
		if name != Name || schema["type"] != "object" || schema["required"] != nil {
			t.Errorf("%s: %s", form, src)
		}
		// The schema has all arguments of a call, and nothing else.
		for p := range schema["properties"].(map[string]any) {
			if form == "mcp" && (p == "tape" || p == "idempotency_key") {
				continue // the server reads them: see surface/mcp
			}
			value := `"x"`
			if p == "state" {
				value = `{"x": 1}`
			}
			if _, err := Request([]byte(`{"` + p + `": ` + value + `}`)); err != nil {
				t.Errorf("%s: %v", p, err)
			}
		}
	}
	if _, err := Schema("cohere"); err == nil {
		t.Error("cohere is a known format")
	}
}

func TestRequest(t *testing.T) {
	for _, tc := range []struct{ arguments, name, state string }{
		{``, "handoff", ``},
		{`{}`, "handoff", ``},
		{`{"name": null, "summary": null}`, "handoff", ``},
		{`{"name": "phase-1", "summary": "a \"b\""}`, "phase-1", `{"summary": "a \"b\""}`},
		{`{"summary": "s", "next_steps": ["one", "two"], "state": {"tables": 5}}`, "handoff", `{"tables": 5, "summary": "s", "next_steps": "one\ntwo"}`},
		{`{"state": {"a": {"b: c": "d: {e: 1}"}}}`, "handoff", `{"a": {"b: c": "d: {e: 1}"}}`},
		{`{"id": "c", "type": "function", "function": {"name": "tape_handoff", "arguments": "{\"name\": \"p\", \"state\": {\"a\": 1}}"}}`, "p", `{"a": 1}`},
		{`{"type": "tool_use", "id": "c", "name": "tape_handoff", "input": {"name": "p", "summary": "s"}}`, "p", `{"summary": "s"}`},
		{`{"type": "function_call", "id": "fc", "call_id": "c", "name": "tape_handoff", "arguments": "{\"name\": \"p\"}"}`, "p", ``},
		{`{"type": "function", "function": {"name": "tape.handoff", "arguments": ""}}`, "handoff", ``},
		{`{"function": {"name": "tape_handoff", "arguments": {"name": "p", "summary": "s"}}}`, "p", `{"summary": "s"}`},
		{`{"functionCall": {"name": "tape_handoff", "args": {"name": "p"}}}`, "p", ``},
		{`{"name": "tape_handoff", "args": {"name": "p"}}`, "p", ``},
		{`{"name": "tape_handoff", "arguments": {"name": "p", "summary": "s"}}`, "p", `{"summary": "s"}`},
		{`{"type": "function_call", "name": "tape_handoff"}`, "handoff", ``},
	} {
		r, err := Request([]byte(tc.arguments))
		if err != nil || r.Name != tc.name || string(r.State) != tc.state {
			t.Errorf("%s: %s %s %v", tc.arguments, r.Name, r.State, err)
		}
	}
	for _, arguments := range []string{`[]`, `{"nam": "x"}`, `{"summary": 5}`, `{"state": "x"}`, `{"name": "x"`,
		`{"type": "tool_use", "name": "bash", "input": {"name": "p"}}`, `{"name": "bash", "arguments": {"name": "p"}}`, `{"name": "p", "args": {}}`, `{"type": "function", "function": {"name": "tape_handoff", "arguments": "no"}}`} {
		if _, err := Request([]byte(arguments)); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}
