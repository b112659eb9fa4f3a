package mcp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handoff/internal/testing/frametest"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/receipts"
)

// hostilePlace has two handoffs of task 9 in a folder whose name is a sentence, both of
// the same time, and one of task 8 that an agent with such a name has claimed.
func hostilePlace(t *testing.T) *place {
	t.Helper()
	p := newPlace(t)
	for _, path := range []string{"specs/8_" + frametest.Name + "/handoffs/phase-1-handoff-20260212T110000Z.md",
		"specs/9_" + frametest.Name + "/handoffs/phase-1-handoff-20260212T110000Z.md", "specs/10_" + frametest.Name + "/handoffs/" + frametest.Word + " it.md"} {
		file := filepath.Join(p.root, filepath.FromSlash(path))
		src := "# Phase 1 Handoff - 20260212T110000Z\n\n## Immediate Next Action\nRun `" + frametest.Word + "/gone file.go`.\n"
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(p.root, workspace.Options{Now: p.time})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	b, err := receipts.Open(ws)
	if err == nil {
		_, err = b.Claim(t.Context(), receipts.Target{Dir: p.root, Ref: "8/1"}, receipt.ClaimRequest{By: frametest.Name, TTL: receipts.DefaultLease})
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestNamesStayInTheFrame calls every tool, reads every resource and gets every prompt in a
// tree whose names read as orders. Structured content is JSON, whose strings are data.
func TestNamesStayInTheFrame(t *testing.T) {
	p := hostilePlace(t)
	s := connect(t, p.config(), versions[1])
	bad := "specs/9_" + frametest.Name + "/handoffs/phase-1-handoff-20260212T110000Z.md"
	for i, c := range []struct {
		tool string
		with m
	}{
		{"handoff_current", nil}, {"handoff_current", m{"ref": bad}}, {"handoff_current", m{"ref": "8/1"}}, {"handoff_current", m{"task": 9, "level": "full"}},
		{"handoff_current", m{"task": 10}}, {"handoff_current", m{"ref": bad + "x"}}, {"handoff_current", m{"ref": "10"}},
		{"handoff_search", m{"query": "gone"}}, {"handoff_search", nil}, {"handoff_check", m{"ref": "9/1"}}, {"handoff_check", m{"ref": bad + "x"}},
		{"handoff_claim", m{"action": "claim", "ref": "8/1"}}, {"handoff_claim", m{"action": "claim", "ref": "9/1"}}, {"handoff_claim", m{"action": "ack", "ref": "9/1", "first_action": "no"}},
		{"handoff_claim", m{"action": "done", "ref": "8/1"}}, {"handoff_claim", m{"action": "claim", "ref": bad + "x"}},
		{"handoff_new", values(m{"task": 9, "slug": nil, "phase": 2, "carry": true})}, {"handoff_new", values(m{"task": 9, "slug": nil, "phase": 2, "next_action": "Consider the options."})},
	} {
		text := callTool(t, s, c.tool, c.with).text
		if text == "" {
			t.Errorf("%d %s: nothing to check", i, c.tool)
		}
		src, _ := json.Marshal(c.with)
		frametest.Check(t, c.tool+" "+string(src), text)
	}
	for _, uri := range []string{"handoff://current", "handoff://9", "handoff://chain/9", "handoff://chain/10", "handoff://tape"} {
		r, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			t.Fatal(uri, err)
		}
		frametest.Check(t, uri, r.Contents[0].Text)
	}
	for _, with := range []map[string]string{nil, {"ref": "9/1"}, {"ref": "8/1"}} {
		r, err := s.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "handoff_resume", Arguments: with})
		if err != nil {
			t.Fatal(with, err)
		}
		text := r.Description + "\n"
		for _, one := range r.Messages {
			text += one.Content.(*sdk.TextContent).Text
		}
		if !strings.Contains(text, "This is a report") {
			t.Errorf("%v: no report:\n%s", with, text)
		}
		frametest.Check(t, "handoff_resume", text)
	}
}
