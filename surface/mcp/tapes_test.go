package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handoff/internal/testing/frametest"
	"handoff/internal/text/tokens"
	handingoff "handoff/log/tape/tool"
)

// withTapes is the configuration of a server that has the tools for tapes.
func (p *place) withTapes() Config {
	c := p.config()
	c.Tapes = true
	return c
}

// TestTapes hands off on a tape, reads what a successor gets, and forks, merges and discards.
func TestTapes(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			s := connect(t, newPlace(t).withTapes(), version)
			callTool(t, s, "tape_info", nil).has(t, false, "None.")
			callTool(t, s, "tape_append", m{"content": "Set up the database."}).has(t, false, "Appended: 1 entry, ids from 3.")
			state := m{"name": "phase-1", "summary": "It is set up.", "state": m{"tables": 5, "big": json.Number("12345678901234567890")}, "idempotency_key": "k"}
			first := callTool(t, s, "tape_handoff", state)
			first.has(t, false, "Appended: 2 entries, ids from 4.")
			if again := callTool(t, s, "tape_handoff", state); fmt.Sprint(again.value) != fmt.Sprint(first.value) || !strings.Contains(again.text, "Already appended") {
				t.Errorf("%v, then %v", first, again)
			}
			state["summary"] = "another"
			callTool(t, s, "tape_handoff", state).has(t, true, "the key was used for another request")
			callTool(t, s, "tape_append", m{"role": "assistant", "content": "Now the routes."}).has(t, false, "ids from 6.")
			r := callTool(t, s, "tape_context", nil)
			r.has(t, false, "2 messages", "[Anchor created: phase-1]", "12345678901234567890", "Now the routes.")
			if strings.Contains(r.text, "database") || len(r.value["messages"].([]any)) != 2 {
				t.Errorf("%v", r)
			}
			callTool(t, s, "tape_context", m{"all": true}).has(t, false, "Set up the database.")
			callTool(t, s, "tape_context", m{"after_anchor": "no"}).has(t, true, "[not_found] Anchor 'no' was not found.")
			callTool(t, s, "tape_anchors", m{"limit": 1}).has(t, false, "1 of 1 anchors", `"name":"phase-1"`)
			callTool(t, s, "tape_read", m{"limit": 2}).has(t, false, "2 entries.", "There are more, from id 3.")
			callTool(t, s, "tape_read", m{"from_id": 3, "kind": []string{"message"}}).has(t, false, "2 entries.", "Set up", "routes")
			callTool(t, s, "tape_read", m{"after_anchor": "session/start", "before_anchor": "phase-1", "kind": []string{"message"}}).has(t, false, "1 entry.", "Set up")
			callTool(t, s, "tape_read", m{"uri": "tape://workspace/main/anchor/phase-1"}).has(t, false, "1 entry.", "It is set up.")
			callTool(t, s, "tape_read", m{"uri": "tape://elsewhere/main/entry/1"}).has(t, true, "this workspace has no label")
			callTool(t, s, "tape_search", m{"query": "ROUTES"}).has(t, false, "1 entry.", "tape://workspace/main/entry/6")

			callTool(t, s, "tape_fork", m{"to": "worker", "from_anchor": "phase-1", "next_steps": "Write tests", "notify_parent": true}).has(t, false, "Forked")
			callTool(t, s, "tape_append", m{"tape": "worker", "role": "assistant", "content": "All pass."})
			callTool(t, s, "tape_merge", m{"fork": "worker"}).has(t, false, "Merged: 1 entry.")
			callTool(t, s, "tape_merge", m{"fork": "main"}).has(t, true, "not a fork")
			callTool(t, s, "tape_fork", m{"to": "other"})
			callTool(t, s, "tape_discard", m{"fork": "other", "reason": "no use"}).has(t, false, "Discarded: 0 entries.")
			callTool(t, s, "tape_context", nil).has(t, false, "All pass.", "[Fork completed: worker]")
			callTool(t, s, "tape_info", m{"tape": "main"}).has(t, false, `"entries":10`)
			callTool(t, s, "tape_search", m{"query": "pass", "all_tapes": true}).has(t, false, "1 entry.")
		})
	}
}

// TestTapesRefuse: wrong arguments append nothing, and a tape that is not there is not an empty one.
func TestTapesRefuse(t *testing.T) {
	s := connect(t, newPlace(t).withTapes(), versions[1])
	callTool(t, s, "tape_append", m{"content": "x"})
	for _, c := range []struct {
		tool string
		with m
		want string
	}{
		{"tape_append", m{}, "want content"}, {"tape_append", m{"role": "user"}, "want content"}, {"tape_append", m{"kind": "event"}, "want kind and payload"},
		{"tape_append", m{"kind": "event", "payload": "x"}, "payload: want an object"}, {"tape_append", m{"content": "x", "payload": m{}}, "want content"},
		{"tape_append", m{"content": "x", "role": "root"}, "role: want"}, {"tape_append", m{"content": "x", "tape": "../x\n"}, "invalid tape name"},
		{"tape_append", m{"content": "x", "tap": "y"}, "tap"}, {"tape_handoff", m{"nam": "x"}, "did you mean name"}, {"tape_handoff", m{"state": 5}, "state: want an object"},
		{"tape_handoff", m{"name": "x", "tape": 5}, "tape: want a text"}, {"tape_fork", m{"to": "y", "tape": "none"}, "no tape none here"}, {"tape_fork", m{}, "want to"},
		{"tape_context", m{"tape": "none"}, "no tape none here"}, {"tape_read", m{"tape": "none"}, "no tape none here"}, {"tape_search", m{"query": "x", "tape": "none"}, "no tape none here"},
		{"tape_read", m{"uri": "tape://workspace/none"}, "no tape none here"}, {"tape_read", m{"uri": "file:///etc/passwd"}, "want tape://"}, {"tape_read", m{"uri": "tape:///main", "tape": "main"}, "not both"},
	} {
		callTool(t, s, c.tool, c.with).has(t, true, "Nothing was done", c.want)
	}
	callTool(t, s, "tape_info", nil).has(t, false, "1 of 1 tapes", `"entries":3`)
}

// TestTapesStayInTheFrame: what a tape contains does not speak as the server, and an answer has a size.
func TestTapesStayInTheFrame(t *testing.T) {
	s := connect(t, newPlace(t).withTapes(), versions[1])
	callTool(t, s, "tape_handoff", m{"name": frametest.Name, "summary": frametest.Name})
	callTool(t, s, "tape_append", m{"content": frametest.Name + " hidden \u200b\u202e text"})
	callTool(t, s, "tape_append", m{"tape": frametest.Name, "content": "x"})
	for _, c := range []struct {
		tool string
		with m
	}{{"tape_info", nil}, {"tape_context", nil}, {"tape_read", nil}, {"tape_anchors", nil}, {"tape_search", m{"query": "hidden"}}} {
		r := callTool(t, s, c.tool, c.with)
		frametest.Check(t, c.tool, r.text)
		if all := fmt.Sprint(r.text, r.value); strings.ContainsAny(all, "\u200b\u202e") {
			t.Errorf("%s: hidden text in %q", c.tool, all)
		}
	}
	for range 12 {
		callTool(t, s, "tape_append", m{"content": strings.Repeat("long ", 100_000), "idempotency_key": ""})
	}
	r := callTool(t, s, "tape_context", nil)
	r.has(t, false, "10 left out", "[Anchor created:", "[cut: 490000 more bytes]")
	if len(r.text) > 2*tapeBytes {
		t.Errorf("%d bytes", len(r.text))
	}
	if next := callTool(t, s, "tape_read", m{"from_id": 6}).value["next_id"]; next != 9.0 {
		t.Errorf("goes on at %v", next)
	}
}

// TestOnlyTapes: a folder with tapes needs no handoffs, and one without both stays as it is.
func TestOnlyTapes(t *testing.T) {
	p := newPlace(t)
	if err := os.Remove(filepath.Join(p.root, "specs")); err != nil {
		t.Fatal(err)
	}
	s := connect(t, p.withTapes(), versions[1])
	callTool(t, s, "tape_append", m{"content": "x"}).has(t, true, "handoff init")
	if err := os.MkdirAll(filepath.Join(p.root, ".handoff/tape"), 0o755); err != nil {
		t.Fatal(err)
	}
	callTool(t, s, "tape_append", m{"content": "x"}).has(t, false, "Appended")
	callTool(t, s, "handoff_current", nil).has(t, true, "handoff init")
}

// TestTapeDefinitions: the tools for tapes are there on request only. The definition that `tape schema` prints is the one
// that is served.
func TestTapeDefinitions(t *testing.T) {
	const mostTokens = 1640
	s := connect(t, newPlace(t).withTapes(), versions[0])
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	own := slices.DeleteFunc(list.Tools, func(one *sdk.Tool) bool { return !strings.HasPrefix(one.Name, "tape_") })
	short, err := json.Marshal(own)
	if err != nil {
		t.Fatal(err)
	}
	if n := tokens.Estimate(string(short)); n > mostTokens || len(own) != 10 {
		t.Errorf("%d tools with %d tokens, want 10 with at most %d", len(own), n, mostTokens)
	} else {
		t.Logf("%d tokens", n)
	}
	golden(t, "tapes.json", own)
	src, err := handingoff.Schema("mcp")
	if err != nil {
		t.Fatal(err)
	}
	var printed, served any
	for _, one := range own {
		if one.Name == handingoff.Name {
			schema, _ := json.Marshal(one.InputSchema)
			err = json.Unmarshal(schema, &served)
		}
	}
	var definition struct{ InputSchema any }
	if json.Unmarshal(src, &definition) != nil || err != nil {
		t.Fatal(err)
	}
	if printed = definition.InputSchema; fmt.Sprint(printed) != fmt.Sprint(served) {
		t.Errorf("printed %v, served %v", printed, served)
	}
}
