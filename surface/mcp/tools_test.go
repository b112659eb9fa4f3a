package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handoff/internal/testing/treetest"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/receipts"
)

// TestLife writes a handoff, finds it, takes it up and writes the next one.
func TestLife(t *testing.T) {
	inBothEras(t, func(t *testing.T, p *place, s *sdk.ClientSession) {
		callTool(t, s, "handoff_current", nil).has(t, false, "There is no handoff yet.")
		r := callTool(t, s, "handoff_new", values(nil))
		r.has(t, false, "Written: specs/7_small/handoffs/phase-1-handoff-20260212T1200")
		path := r.value["path"].(string)

		r = callTool(t, s, "handoff_current", m{})
		r.has(t, false, path+": waiting.", "This is a report by an earlier agent on task 7, phase 1", "waiting, nobody has taken it up", "Run `go vet a.go`", "The parser panics.", "handoff_claim")
		if r.value["report"] == "" || r.value["ref"] != "7/1" || r.value["waiting"] != 0.0 {
			t.Errorf("%v", r.value)
		}
		callTool(t, s, "handoff_check", m{"ref": "7/1"}).has(t, false, path+": 0 errors, 0 warnings")

		r = callTool(t, s, "handoff_claim", m{"action": "claim", "ref": filepath.Join(p.root, path)})
		r.has(t, false, path+": claimed by test-agent until ")
		claim := r.value["claim"].(string)
		callTool(t, s, "handoff_claim", m{"action": "claim", "ref": path}).has(t, true, "is held by test-agent until")
		callTool(t, s, "handoff_claim", m{"action": "ack", "claim": claim, "first_action": "Run it."}).has(t, true, "first_action is not the next action of "+path)
		callTool(t, s, "handoff_claim", m{"action": "ack", "claim": claim, "first_action": "run `go vet a.go` and fix what it reports"}).has(t, false, path+": claimed")
		callTool(t, s, "handoff_claim", m{"action": "renew", "claim": claim}).has(t, false, path+": claimed")
		r = callTool(t, s, "handoff_current", m{})
		r.has(t, false, "held, held by test-agent until")
		if strings.Contains(r.text, "To take it up") {
			t.Error("it is taken up already")
		}

		r = callTool(t, s, "handoff_new", values(m{"phase": 2, "slug": nil, "next_action": "Delete a.go.", "claim": claim}))
		r.has(t, false, "Written: specs/7_small/handoffs/phase-2-")
		next := r.value["path"].(string)
		callTool(t, s, "handoff_current", m{"ref": path}).has(t, false, path+": past.", "past, superseded by test-agent")
		callTool(t, s, "handoff_current", m{"task": 7, "level": "full"}).has(t, false, next+": waiting", "# Phase 2 Handoff", "Delete a.go.")
		callTool(t, s, "handoff_claim", m{"action": "done", "ref": "7/2"}).has(t, false, next+": done by test-agent")
		callTool(t, s, "handoff_current", m{}).has(t, false, next+": done")
	})
}

// TestCarry: pinned items of the last handoff are carried over on request; otherwise the
// answer reports how many are missing.
func TestCarry(t *testing.T) {
	inBothEras(t, func(t *testing.T, p *place, s *sdk.ClientSession) {
		callTool(t, s, "handoff_new", values(nil)).has(t, false, "Written: ")
		empty := m{"slug": nil, "dead_ends": []string{}, "context": []string{}}
		next := func(phase int, more m) result {
			v := maps.Clone(empty)
			v["phase"] = phase
			maps.Copy(v, more)
			return callTool(t, s, "handoff_new", values(v))
		}
		r := next(2, m{"carry": true})
		r.has(t, false, "Taken over from specs/7_small/handoffs/phase-1-", ": 2 items of dead_ends and context.")
		if r.value["carried"] != 2.0 || r.value["vanished"] != nil {
			t.Errorf("%v", r.value)
		}
		src, err := os.ReadFile(filepath.Join(p.root, r.value["path"].(string)))
		if err != nil || !strings.Contains(string(src), "gofmt: changes nothing") || !strings.Contains(string(src), "The parser panics.") {
			t.Errorf("%s (%v)", src, err)
		}
		if r = next(3, m{"carry": false}); r.value["vanished"] != 2.0 {
			t.Errorf("%v", r.value)
		}
		r.has(t, false, "2 items of dead_ends and context in specs/7_small/handoffs/phase-2-")
		next(4, m{"carry": "yes"}).has(t, true, "carry: ", "want true or false")
		next(4, m{"carry": nil}).has(t, false, "Written: ")
	})
}

// TestNewOnce: a repeated call with an idempotency key returns the first path and leaves
// the claim alone; with other values it is refused.
func TestNewOnce(t *testing.T) {
	inBothEras(t, func(t *testing.T, p *place, s *sdk.ClientSession) {
		callTool(t, s, "handoff_new", values(nil))
		claim := callTool(t, s, "handoff_claim", m{"action": "claim", "ref": "7"}).value["claim"]
		again := values(m{"phase": 2, "slug": nil, "claim": claim, "idempotency_key": "k"})
		first := callTool(t, s, "handoff_new", again)
		first.has(t, false, "Written: specs/7_small/handoffs/phase-2-")
		if r := callTool(t, s, "handoff_new", again); r.text != first.text || r.value["path"] != first.value["path"] {
			t.Errorf("%s after %s", r.text, first.text)
		}
		callTool(t, s, "handoff_new", values(m{"phase": 3, "slug": nil, "idempotency_key": "k"})).has(t, true, `the idempotency key "k" was used with other values`)
		callTool(t, s, "handoff_new", values(m{"idempotency_key": 5})).has(t, true, "idempotency_key: ", "want a text")
		if list := files(t, filepath.Join(p.root, "specs/7_small/handoffs")); len(list) != 3 { // with the folder
			t.Errorf("%q", list)
		}
	})
}

// TestReplace: a handoff that waits is superseded by the one that is written instead of it.
func TestReplace(t *testing.T) {
	inBothEras(t, func(t *testing.T, _ *place, s *sdk.ClientSession) {
		old := callTool(t, s, "handoff_new", values(nil)).value["path"].(string)
		callTool(t, s, "handoff_new", values(m{"slug": nil, "replace": old, "next_action": "Delete a.go."})).has(t, false, "Written: ")
		callTool(t, s, "handoff_current", m{"ref": old}).has(t, false, "superseded")
		callTool(t, s, "handoff_new", values(m{"slug": nil, "replace": old})).has(t, true, "superseded")
		callTool(t, s, "handoff_new", values(m{"slug": nil, "replace": 7})).has(t, true, "replace: ", "want the path")
	})
}

// TestRelease gives a handoff back: it waits again, with the reason.
func TestRelease(t *testing.T) {
	inBothEras(t, func(t *testing.T, _ *place, s *sdk.ClientSession) {
		path := callTool(t, s, "handoff_new", values(nil)).value["path"].(string)
		claim := callTool(t, s, "handoff_claim", m{"action": "claim", "ref": "7"}).value["claim"]
		callTool(t, s, "handoff_claim", m{"action": "release", "claim": claim, "why": "needs\na Mac"}).has(t, false, path+": released by test-agent")
		callTool(t, s, "handoff_current", nil).has(t, false, "waiting, released by test-agent: needs a Mac")
		callTool(t, s, "handoff_claim", m{"action": "release", "claim": claim}).has(t, false, path+": released")
		callTool(t, s, "handoff_claim", m{"action": "renew", "claim": claim}).has(t, true, "stale claim")
		callTool(t, s, "handoff_new", values(m{"claim": claim})).has(t, true, "stale claim")
	})
}

// TestBadInput: what the model can fix is a result with findings, not a protocol error.
func TestBadInput(t *testing.T) {
	inBothEras(t, func(t *testing.T, p *place, s *sdk.ClientSession) {
		written := func() []string { return files(t, filepath.Join(p.root, "specs")) }
		for _, c := range []struct {
			tool      string
			arguments any
			want      []string
		}{
			{"handoff_new", values(m{"next_action": "Consider the options.", "dead_ends": nil, "references": []string{"`x/y.go`"}}),
				[]string{"Not written.", "next_action: error:", "(vague-next-action)", "dead_ends: error:", "(empty-section)", "references/0: error:", "x/y.go does not exist", "(dead-reference)"}},
			{"handoff_new", values(m{"phase": "one", "decison": []string{}, "state": 5}), []string{"decison: error: unknown key \"decison\": did you mean decisions?", "phase: error: want a whole number"}},
			{"handoff_new", values(m{"context": []any{"a", 5}}), []string{"context/1: error: "}},
			{"handoff_new", values(m{"phase": 0}), []string{"phase: error: want a number from 1"}},
			{"handoff_new", values(m{"slug": nil}), []string{"task 7 has no folder", "name the new one with slug (slug prove_completeness)"}},
			{"handoff_new", values(m{"claim": 5}), []string{"claim: want the text that handoff_claim returned"}},
			{"handoff_new", values(m{"claim": "x"}), []string{"want what `handoff claim` printed"}},
			{"handoff_new", nil, []string{"which phase?"}},
			{"handoff_current", m{"ref": "99"}, []string{`"99": no handoff of task 99`}},
			{"handoff_current", m{"ref": "/etc/passwd.md"}, []string{"no such handoff"}},
			{"handoff_current", m{"ref": "../x.md"}, []string{"no such handoff"}},
			{"handoff_current", m{"ref": "latest", "level": "all"}, []string{`level "all": want brief or full`}},
			{"handoff_current", m{"re": "latest"}, []string{"re: error: unknown key"}},
			{"handoff_check", m{"ref": "a.go"}, []string{`"a.go": "a.go": no such file, and not 259/3`}},
			{"handoff_check", nil, []string{"no handoff in"}},
			{"handoff_claim", nil, []string{"which handoff? Pass ref"}},
			{"handoff_claim", m{"action": "grab", "ref": "7"}, []string{"no handoff of task 7"}},
			{"handoff_claim", m{"action": "release", "ref": "7"}, []string{"no handoff of task 7"}},
			{"handoff_search", m{"limit": 21}, []string{"limit 21: want 1 to 20"}},
			{"handoff_search", m{"since": "yesterday"}, []string{`since "yesterday": want an age`}},
		} {
			before := written()
			r := callTool(t, s, c.tool, c.arguments)
			r.has(t, true, c.want...)
			problemIn(t, r)
			if after := written(); !slices.Equal(before, after) {
				t.Errorf("%s %v wrote %v", c.tool, c.arguments, after)
			}
		}
		if _, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "handoff_delete"}); err == nil {
			t.Error("an unknown tool was called")
		}
	})
}

func files(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if list = append(list, path); err != nil {
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestNoWorkspace: outside of a workspace each call explains what to do.
func TestNoWorkspace(t *testing.T) {
	inBothEras(t, func(t *testing.T, p *place, s *sdk.ClientSession) {
		if err := os.Remove(filepath.Join(p.root, "specs")); err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools() {
			r := callTool(t, s, tool.name, nil)
			r.has(t, true, "handoff is not set up in", "progress); or start the server in the workspace (`handoff mcp -C FOLDER`)")
			if p := problemIn(t, r); p.Status != 404 {
				t.Errorf("%s: %+v", tool.name, p)
			}
		}
		if _, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "handoff://current"}); err == nil || !strings.Contains(err.Error(), "handoff init") {
			t.Error(err)
		}
		if _, err := s.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "handoff_resume"}); err == nil || !strings.Contains(err.Error(), "handoff init") {
			t.Error(err)
		}
		if got := files(t, p.root); len(got) != 2 {
			t.Errorf("written: %v", got)
		}
	})
}

// TestStale: out-of-date facts come before the report.
func TestStale(t *testing.T) {
	inBothEras(t, func(t *testing.T, p *place, s *sdk.ClientSession) {
		callTool(t, s, "handoff_new", values(nil))
		if err := os.Remove(filepath.Join(p.root, "a.go")); err != nil {
			t.Fatal(err)
		}
		p.mu.Lock()
		p.now = p.now.AddDate(0, 0, 30)
		p.mu.Unlock()
		r := callTool(t, s, "handoff_current", nil)
		r.has(t, false, "This is a report by an earlier agent", "Out of date in the report:", "it was written 30 days ago", "a.go does not exist", "[end of report ")
		if stale := r.value["stale"].([]any); len(stale) < 2 {
			t.Error(stale)
		}
		callTool(t, s, "handoff_check", nil).has(t, false, ": 1 error, 0 warnings", "(dead-reference)")
	})
}

// TestSearch: refs with one line each, the best first.
func TestSearch(t *testing.T) {
	inBothEras(t, func(t *testing.T, p *place, s *sdk.ClientSession) {
		callTool(t, s, "handoff_search", nil).has(t, false, "No handoff contains all of these words.")
		first := callTool(t, s, "handoff_new", values(nil)).value["path"].(string)
		second := callTool(t, s, "handoff_new", values(m{"task": 8, "context": []string{"It vets."}, "slug": "other", "next_action": "Rewrite the parser in a.go."})).value["path"].(string)
		callTool(t, s, "handoff_search", m{"query": "PARSER a.go"}).has(t, false, second+":4: Rewrite the parser in a.go.\n", first+":")
		callTool(t, s, "handoff_search", m{"query": "parser", "task": 7}).has(t, false, first+":18: The parser panics.")
		r := callTool(t, s, "handoff_search", m{"limit": 1, "since": "1d"})
		r.has(t, false, second+": Rewrite the parser in a.go.", "and 1 more")
		if r.value["total"] != 2.0 || len(r.value["hits"].([]any)) != 1 {
			t.Error(r.value)
		}

		path := filepath.Join(p.root, workspace.StateDir, "threads", "t.jsonl")
		effects := `{"id":"e","session_id":"t","stream_kind":"continuity","stream_id":"t","timestamp_ms":1,"seq":0,"type":"continuity_tool_side_effects","run_session_id":"r",` +
			`"tool_id":"i","tool_name":"write","affected_paths":["pkg/touched.go"],"checkpoint_id":null,"actor_id":"user","origin":"cli"}` + "\n"
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(effects), 0o644)); err != nil {
			t.Fatal(err)
		}
		r = callTool(t, s, "handoff_search", m{"query": "touched.go"})
		r.has(t, false, "thread t event 0: touched pkg/touched.go (`handoff thread show t`)")
		if logs := r.value["logs"].([]any); len(logs) != 1 || logs[0].(map[string]any)["thread_id"] != "t" {
			t.Error(r.value)
		}
	})
}

// TestClaimOfEnvironment: a server that belongs to a session has its claim.
func TestClaimOfEnvironment(t *testing.T) {
	p := newPlace(t)
	s := connect(t, p.config(), versions[0])
	path := callTool(t, s, "handoff_new", values(nil)).value["path"].(string)
	c := p.config()
	c.Session = receipt.Session{Host: "claude", ID: "s1"}
	s = connect(t, c, versions[0])
	c.Who.Claim = callTool(t, s, "handoff_claim", m{"action": "claim", "ref": path}).value["claim"].(string)
	ws, err := c.Open()
	if err != nil {
		t.Fatal(err)
	}
	b, err := receipts.Open(ws)
	if err != nil {
		t.Fatal(err)
	}
	if items, err := b.Of(t.Context(), c.Session); err != nil || len(items) != 1 || items[0].Path != path {
		t.Errorf("the session has %+v, %v", items, err)
	}
	callTool(t, s, "handoff_new", values(m{"task": 8, "slug": "other"}))
	s = connect(t, c, versions[0])
	callTool(t, s, "handoff_current", nil).has(t, false, path+": held")
	callTool(t, s, "handoff_claim", m{"action": "ack", "first_action": "Run `go vet a.go` and fix what it reports."}).has(t, false, path+": claimed")
	next := callTool(t, s, "handoff_new", values(m{"phase": 2})).value["path"].(string)
	callTool(t, s, "handoff_current", m{"ref": path}).has(t, false, path+": past")
	callTool(t, s, "handoff_current", m{"ref": next}).has(t, false, next+": waiting")
	callTool(t, s, "handoff_claim", m{"action": "release", "ref": next}).has(t, true, "is for "+path+", not for")
}

// TestManyWriters: no two calls get one name.
func TestManyWriters(t *testing.T) {
	const writers = 32
	p := newPlace(t)
	sessions := []*sdk.ClientSession{connect(t, p.config(), versions[0]), connect(t, p.config(), versions[1])}
	var mu sync.Mutex
	paths := map[string]int{}
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			r := callTool(t, sessions[i%2], "handoff_new", values(m{"phase": i%3 + 1}))
			mu.Lock()
			defer mu.Unlock()
			path, _ := r.value["path"].(string)
			if paths[path]++; r.failed {
				t.Error(r.text)
			}
		})
	}
	all.Wait()
	if len(paths) != writers || paths[""] > 0 {
		t.Errorf("%d names of %d writers", len(paths), writers)
	}
}

// TestCancelled: a call whose client gave up ends.
func TestCancelled(t *testing.T) {
	p := newPlace(t)
	s := connect(t, p.config(), versions[1])
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "handoff_new", Arguments: values(nil)}); err == nil {
		t.Error("answered")
	}
}

// FuzzArguments: no arguments break the server: every call has an answer.
func FuzzArguments(f *testing.F) {
	for i := range append(tools(), tapeTools()...) {
		f.Add(uint8(i), `{"ref":"7/1","task":7,"query":"a","action":"claim"}`)
		f.Add(uint8(i), `{"ref":"../../x.md","since":"7d","limit":-1,"level":{},"claim":[],"action":"ack","first_action":"\u0000"}`)
	}
	f.Add(uint8(1), `{"task":7,"phase":1,"next_action":"Run it","decisions":[{"a":"b"}],"claim":"0011223344556677.1.x"}`)
	f.Add(uint8(1), `[]`)
	p := newPlace(f)
	ws, err := p.config().Open()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, tool uint8, arguments string) {
		all := append(tools(), tapeTools()...)
		c := &call{Context: t.Context(), ws: ws, args: json.RawMessage(arguments), client: "fuzz"}
		a, err := all[int(tool)%len(all)].call(c)
		if err != nil {
			a = failure(err)
		}
		if value, err := json.Marshal(a.value); err != nil || len(value) < 2 || value[0] != '{' || a.text == "" {
			t.Errorf("%s, %v, text %q", value, err, a.text)
		}
	})
}

// TestTaskZero: 0 is a task number like others, and not the word for all of them.
func TestTaskZero(t *testing.T) {
	inBothEras(t, func(t *testing.T, p *place, s *sdk.ClientSession) {
		seven := callTool(t, s, "handoff_new", values(nil)).value["path"].(string)
		const zero = "specs/0_zero/handoffs/phase-1-handoff-20260101T000000Z.md"
		treetest.WriteDocument(t, p.root, zero)
		callTool(t, s, "handoff_current", m{"task": 0}).has(t, false, zero+": waiting")
		callTool(t, s, "handoff_current", m{"task": 7}).has(t, false, seven+": waiting")
		if r := callTool(t, s, "handoff_search", m{"task": 0}); r.value["total"] != 1.0 || !strings.Contains(r.text, zero) {
			t.Errorf("%v", r.value)
		}
		r, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "handoff://chain/0"})
		if err != nil || !strings.Contains(r.Contents[0].Text, "1 handoff of task 0") {
			t.Errorf("%+v, %v", r, err)
		}
	})
}
