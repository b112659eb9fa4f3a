package main

import (
	"strings"
	"testing"

	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
)

// TestMCPElsewhereRealAgent: the real Claude Code starts the server outside of the workspace, as
// the server of a plugin; its tools find the workspace.
func TestMCPElsewhereRealAgent(t *testing.T) {
	h := newHost(t, "claude")
	handedOverIn(t, h.dir)
	elsewhere := t.TempDir()
	writeFile(t, elsewhere, "mcp.json", `{"mcpServers":{"handoff":{"command":"sh","args":["-c","cd '`+elsewhere+`' && exec handoff mcp"]}}}`)
	search := realagents.MCP("claude", "handoff", "handoff_search", map[string]any{})
	requests := turns(h.session(answers(scriptedmodel.Answer{Calls: []scriptedmodel.Call{search}}), "--mcp-config", elsewhere+"/mcp.json"))
	if len(requests) != 2 || !strings.Contains(requests[1].Last, handedOver) {
		t.Errorf("%d requests; the last one must contain the path of the handoff", len(requests))
	}
}
