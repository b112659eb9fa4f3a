package main

import (
	"strings"
	"testing"
)

// TestSpawnOnATerminal: a person sees what the agent does, and its last text once,
// as the result.
func TestSpawnOnATerminal(t *testing.T) {
	dir := t.TempDir()
	handedOverIn(t, dir)
	writeFile(t, dir, "stream.jsonl", `{"type":"system","session_id":"s1"}
{"type":"assistant","session_id":"s1","message":{"id":"m1","usage":{"input_tokens":1200},"content":[{"type":"text","text":"I look\nat it."},{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"a.go"}}]}}
{"type":"assistant","session_id":"s1","message":{"id":"m2","usage":{"input_tokens":1300},"content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"go test"}}]}}
{"type":"assistant","session_id":"s1","message":{"id":"m3","content":[{"type":"text","text":"That is all."}]}}
`)
	writeFile(t, dir, ".handoff/agents/loud.yaml", "title: Loud\nprogram: cat\nstart: stream.jsonl\nstream: claude\n")
	sent := onTerminal(t, dir, "1", "", []string{"spawn", "1", "--agent", ".handoff/agents/loud.yaml"})
	want := "  session s1\nI look\nat it.\n  Read a.go\n  1,200 tokens\n  Bash go test\n  1,300 tokens\nThat is all.\nhandoff: loud ended without `handoff done` and without a new handoff\n"
	if got := strings.ReplaceAll(sent, "\r\n", "\n"); !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
