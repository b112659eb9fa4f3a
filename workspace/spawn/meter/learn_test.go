package meter

import (
	"fmt"
	"path/filepath"
	"testing"

	"handoff/agents"
	"handoff/agents/windows"
	_ "handoff/internal/testing/needs" // no repository above the temporary folders
)

// TestLearns: what an agent that was started reports about its window, in its stream, over ACP or in
// its transcript alone, is known to later sessions, also if nobody watches the gauge.
func TestLearns(t *testing.T) {
	const model = `{"timestamp":"t","type":"turn_context","payload":{"model":"large","cwd":"/w"}}` + "\n"
	for _, c := range []struct {
		name, format string
		lines        []string
		transcript   string
		want         int
	}{
		{"at the end of its stream", "claude", []string{`{"type":"system","subtype":"init","session_id":"s1","model":"large"}`, `{"type":"assistant","session_id":"s1","message":{"id":"m","model":"large","usage":{"input_tokens":900}}}`,
			`{"type":"result","session_id":"s1","modelUsage":{"large":{"contextWindow":500000},"small":{"contextWindow":200000}}}`}, "", 500_000},
		{"over ACP", "acp", []string{`{"protocol":"acp","sessionId":"s1","cwd":"/w","model":"large"}`, `{"call":"1","sessionId":"s1","update":{"sessionUpdate":"usage_update","used":900,"size":400000}}`, `{"sessionId":"s1","stopReason":"end_turn"}`}, "", 400_000},
		{"in its transcript", "codex", []string{`{"type":"thread.started","thread_id":"s1"}`}, model + codexCall(900, 900), 1000},
		{"nonsense", "acp", []string{`{"protocol":"acp","sessionId":"s1","cwd":"/w","model":"large"}`, `{"call":"1","sessionId":"s1","update":{"sessionUpdate":"usage_update","used":900,"size":-1}}`}, "", 0},
		{"nothing", "claude", []string{`{"type":"system","subtype":"init","session_id":"s1","model":"large"}`, `{"type":"result","session_id":"s1"}`}, "", 0},
	} {
		home, dir := t.TempDir(), t.TempDir()
		getenv := func(name string) string { return map[string]string{"HOME": home}[name] }
		a := agents.Agent{Name: "one", Stream: c.format}
		if c.transcript != "" {
			a.Transcripts = agents.Transcripts{Folder: dir, Files: "rollout-*{session}.jsonl", Format: "codex"}
			add(t, filepath.Join(dir, "rollout-s1.jsonl"), `{"timestamp":"t","type":"session_meta","payload":{"id":"s1","cwd":"/w"}}`+"\n"+c.transcript)
		}
		m := Start(Options{Agent: a, Getenv: getenv, Event: func(Event) {}})
		for _, line := range c.lines {
			fmt.Fprintln(m, line)
		}
		m.Close()
		n, from := windows.Last(getenv, "one", "another", "large")
		if n != c.want || (from == windows.Host) != (c.want > 0) {
			t.Errorf("%s: %d from %q, want %d", c.name, n, from, c.want)
		}
	}
}
