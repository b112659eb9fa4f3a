package transcript_test

import (
	"testing"

	"handoff/agents/transcript"
)

// TestWindowOfModel: a run with several models reports the window of each. The session has that of its
// own model, with the size that was chosen for it, until it changes the model.
func TestWindowOfModel(t *testing.T) {
	const result = `{"type":"result","modelUsage":{"small":{"contextWindow":200000},"small[1m]":{"contextWindow":1000000},"large":{"contextWindow":500000}}}`
	for _, c := range []struct {
		name, of string
		window   int
		lines    []string
	}{
		{"its own", "small", 200_000, []string{`{"type":"system","model":"small"}`, result}},
		{"of a version with a date", "small", 200_000, []string{`{"type":"system","model":"small-20260801"}`, `{"type":"result","modelUsage":{"large":{"contextWindow":500000},"small":{"contextWindow":200000}}}`}},
		{"with the chosen size", "small[1m]", 1_000_000, []string{`{"type":"system","model":"small[1m]"}`, `{"type":"assistant","message":{"id":"m","model":"small"}}`, result}},
		{"of no other model", "", 0, []string{`{"type":"system","model":"another"}`, result}},
		{"the model was changed", "", 0, []string{`{"type":"system","model":"large"}`, result, `{"type":"assistant","message":{"id":"m","model":"small"}}`}},
		{"no window is reported", "small", 200_000, []string{`{"type":"system","model":"small"}`, result, `{"type":"result","modelUsage":{"small":{"inputTokens":1}}}`}},
	} {
		var s transcript.Session
		for _, line := range c.lines {
			if r, ok := transcript.Formats["claude"]([]byte(line)); ok {
				s.Add(r)
			}
		}
		if s.Window != c.window || s.WindowOf != c.of {
			t.Errorf("%s: %d of %q, want %d of %q", c.name, s.Window, s.WindowOf, c.window, c.of)
		}
	}
}

func TestSameModel(t *testing.T) {
	for _, c := range []struct {
		a, b          string
		model, window bool
	}{
		{"a", "a", true, true}, {"a", "a-20260801", true, true}, {"a@20260801", "a", true, true}, {"a[1m]", "a", true, false}, {"a-20260801[1m]", "a[1m]", true, true},
		{"a-5", "a-5-5", false, false}, {"a", "b", false, false}, {"a-2026080x", "a", false, false}, {"-20260801", "", false, false},
	} {
		if m, w := transcript.SameModel(c.a, c.b), transcript.SameContext(c.a, c.b); m != c.model || w != c.window {
			t.Errorf("%q, %q: %v, %v", c.a, c.b, m, w)
		}
	}
}
