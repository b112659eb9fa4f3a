package mcp

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handoff/surface/problem"
)

// problemIn is the problem of a refused call. Its type must be in the registry, and its
// detail in the text: hosts show their model one or the other.
func problemIn(t testing.TB, r result) (p problem.Problem) {
	t.Helper()
	src, err := json.Marshal(r.value)
	if err == nil {
		err = json.Unmarshal(src, &p)
	}
	k := problem.Find(p.Type)
	switch {
	case err != nil || !r.failed || p.Title == "" || p.Detail == "" || !strings.Contains(r.text, p.Detail):
		t.Errorf("%v: %s\n%s", err, src, r.text)
	case k == nil && p.Type != problem.Blank, k != nil && (k.Title != p.Title || k.Status != p.Status):
		t.Errorf("not of the registry: %s", src)
	}
	return p
}

// TestEachToolRefuses: the answer of each tool that is refused is a problem, whatever is
// wrong.
func TestEachToolRefuses(t *testing.T) {
	inBothEras(t, func(t *testing.T, _ *place, s *sdk.ClientSession) {
		callTool(t, s, "handoff_new", values(nil))
		for _, tool := range tools() {
			for _, arguments := range []any{m{"no_such_argument": 1}, m{"task": "x", "ref": 5, "action": []int{}, "phase": "x"}} {
				p := problemIn(t, callTool(t, s, tool.name, arguments))
				if p.Type != problem.Body.Type {
					t.Errorf("%s %v: %+v", tool.name, arguments, p)
				}
			}
			if strings.Contains(tool.in, `"ref"`) {
				for _, ref := range []string{"99", "7/9", "specs/none.md", "specs/7_small/handoffs/phase-9-handoff-20260212T000000Z.md", "/etc/passwd.md"} {
					arguments := m{"ref": ref}
					if strings.Contains(tool.in, `"action"`) {
						arguments["action"] = "claim"
					}
					p := problemIn(t, callTool(t, s, tool.name, arguments))
					if p.Type != problem.NoHandoff.Type {
						t.Errorf("%s %s: %+v", tool.name, ref, p)
					}
				}
			}
		}
	})
}

// TestProblems: the problem of a refused step says who holds the handoff, until when, and
// with which token, and never the claim itself.
func TestProblems(t *testing.T) {
	inBothEras(t, func(t *testing.T, _ *place, s *sdk.ClientSession) {
		path := callTool(t, s, "handoff_new", values(nil)).value["path"].(string)
		step := func(action string, more m) result {
			return callTool(t, s, "handoff_claim", merged(m{"action": action}, more))
		}
		claim := step("claim", m{"ref": path}).value["claim"].(string)
		for name, r := range map[string]result{
			"claim": step("claim", m{"ref": path}),
			"new":   callTool(t, s, "handoff_new", values(m{"phase": 2, "slug": nil})),
		} {
			p := problemIn(t, r)
			if p.Type != problem.Held.Type || p.Path != path || p.Holder != "test-agent" || p.Token != 1 || p.Until == nil || p.Since == nil ||
				p.RetryAfter < int64(time.Hour/time.Second) || strings.Contains(r.text, claim) {
				t.Errorf("%s: %+v\n%s", name, p, r.text)
			}
		}
		if p := problemIn(t, step("ack", m{"claim": claim, "first_action": "Guess."})); p.Type != problem.NotRead.Type || p.Path != path {
			t.Errorf("%+v", p)
		}
		if p := problemIn(t, step("renew", m{"claim": "0011223344556677.1.00112233445566770011223344556677"})); p.Type != problem.UnknownClaim.Type {
			t.Errorf("%+v", p)
		}
		step("release", m{"claim": claim}).has(t, false)
		if p := problemIn(t, step("renew", m{"claim": claim})); p.Type != problem.Stale.Type || p.Path != path || p.Token != 1 {
			t.Errorf("%+v", p)
		}
		step("done", m{"ref": path}).has(t, false)
		if p := problemIn(t, step("claim", m{"ref": path})); p.Type != problem.Finished.Type || p.State != "done" || p.Holder != "test-agent" {
			t.Errorf("%+v", p)
		}
		if p := problemIn(t, callTool(t, s, "handoff_new", values(m{"task": 9, "slug": nil}))); p.Type != problem.TaskFolder.Type {
			t.Errorf("%+v", p)
		}
		r := callTool(t, s, "handoff_new", values(m{"task": 9, "slug": "other", "next_action": "Consider it."}))
		if p := problemIn(t, r); p.Type != problem.Refused.Type || len(r.value["findings"].([]any)) == 0 {
			t.Errorf("%+v", p)
		}
	})
}

// merged are the members of both objects.
func merged(a, b m) m {
	for key, value := range b {
		a[key] = value
	}
	return a
}
