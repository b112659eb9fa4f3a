package transcript

import (
	"math"
	"strings"
	"testing"
)

// What a session has used in all is counted once for each call, whatever the host
// writes how often, and is not lost at a compaction.
func TestTotal(t *testing.T) {
	for name, c := range map[string]struct {
		format, lines string
		want          Total
	}{
		"claude: a call in two records, and the sum at the end": {"claude", `
{"type":"assistant","session_id":"s","message":{"id":"m1","usage":{"input_tokens":100,"output_tokens":1}}}
{"type":"assistant","session_id":"s","message":{"id":"m1","usage":{"input_tokens":100,"output_tokens":20}}}
{"type":"assistant","session_id":"s","message":{"id":"m2","usage":{"input_tokens":50,"cache_read_input_tokens":100,"output_tokens":5}}}
{"type":"system","subtype":"compact_boundary","session_id":"s"}
{"type":"assistant","session_id":"s","message":{"id":"m3","usage":{"input_tokens":10,"output_tokens":2}}}
{"type":"result","session_id":"s","total_cost_usd":0.25,"modelUsage":{"a":{"inputTokens":160,"outputTokens":30,"cacheReadInputTokens":100},"b":{"inputTokens":10}}}`,
			Total{3, 300, 0.25}},
		"codex: only the sum of a turn": {"codex", `
{"type":"thread.started","thread_id":"s"}
{"type":"turn.completed","usage":{"input_tokens":900,"cached_input_tokens":400,"output_tokens":50}}`, Total{0, 950, 0}},
		"gemini": {"gemini", `
{"type":"init","session_id":"s"}
{"type":"result","status":"success","stats":{"total_tokens":77}}`, Total{0, 77, 0}},
		"opencode: the cost of each step": {"opencode", `
{"type":"step_finish","sessionID":"s","part":{"id":"p1","type":"step-finish","cost":0.01,"tokens":{"input":10,"output":2}}}
{"type":"step_finish","sessionID":"s","part":{"id":"p2","type":"step-finish","cost":0.02,"tokens":{"input":20,"output":3}}}`, Total{2, 35, 0.03}},
	} {
		var s Session
		for line := range strings.Lines(strings.TrimSpace(c.lines)) {
			r, ok := Formats[c.format]([]byte(line))
			if !ok {
				t.Fatalf("%s: not read: %s", name, line)
			}
			s.Add(r)
		}
		if got := s.Total.Of(s.Reported, Total{}); got.Calls != c.want.Calls || got.Tokens != c.want.Tokens || math.Abs(got.USD-c.want.USD) > 1e-9 {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestTotalOf: a sum that is reported at the end of a resumed run may be that of the run
// or of the session.
func TestTotalOf(t *testing.T) {
	before := Total{2, 1000, 0.5}
	for name, c := range map[string]struct{ records, reported, want Total }{
		"of the session":                   {Total{1, 300, 0}, Total{0, 1300, 0.75}, Total{1, 300, 0.25}},
		"of the session, with subagents":   {Total{1, 300, 0}, Total{0, 1500, 1}, Total{1, 500, 0.5}},
		"of the run":                       {Total{1, 300, 0}, Total{0, 300, 0.25}, Total{1, 300, 0.25}},
		"of a run that used more":          {Total{9, 3000, 0}, Total{0, 3100, 0.25}, Total{9, 3100, 0.25}},
		"none":                             {Total{1, 300, 0.25}, Total{}, Total{1, 300, 0.25}},
		"of the session, nothing was used": {Total{}, Total{0, 1000, 0.5}, Total{}},
	} {
		if got := c.records.Of(c.reported, before); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
