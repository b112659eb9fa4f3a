package main

import (
	"strings"
	"testing"

	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
)

// TestMCPTapesRealAgent: the real Claude Code hands off on a tape and reads the context that a successor gets; without
// --tapes its model is told of no such tool.
func TestMCPTapesRealAgent(t *testing.T) {
	h := newHost(t, "claude")
	handedOverIn(t, h.dir)
	for _, with := range []bool{true, false} {
		args := `["mcp"]`
		if with {
			args = `["mcp", "--tapes"]`
		}
		writeFile(t, h.dir, "servers.json", `{"mcpServers":{"handoff":{"command":"handoff","args":`+args+`}}}`)
		say := realagents.MCP("claude", "handoff", "tape_append", map[string]any{"content": "Chose SQLite.", "role": "assistant"})
		handOff := realagents.MCP("claude", "handoff", "tape_handoff", map[string]any{"name": "phase-1", "summary": "Database is up", "state": map[string]any{"tables": 5}})
		context := realagents.MCP("claude", "handoff", "tape_context", map[string]any{})
		requests := turns(h.session(answers(scriptedmodel.Answer{Calls: []scriptedmodel.Call{say}}, scriptedmodel.Answer{Calls: []scriptedmodel.Call{handOff}},
			scriptedmodel.Answer{Calls: []scriptedmodel.Call{context}}), "--mcp-config", h.dir+"/servers.json"))
		if len(requests) != 4 {
			t.Fatalf("with tools for tapes %t: %d requests, want 4", with, len(requests))
		}
		last := requests[3].Last
		if got := strings.Contains(last, "[Anchor created: phase-1]") && strings.Contains(last, "Database is up") && !strings.Contains(last, "SQLite"); got != with {
			t.Errorf("with tools for tapes %t: the model got %s", with, last)
		}
	}
}
