package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handoff/agents/transcript/gauge"
	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
)

// compacting are the agents that were seen to compact in the middle of a turn,
// with what makes them do that at 67,000 tokens.
var compacting = map[string]struct {
	env, files map[string]string
	args       []string
	asks       string // the beginning of the request for a summary
}{
	// Claude Code compacts when 33,000 of these are left. Before that it needs at
	// least two calls: the last one is kept word for word.
	"claude": {env: map[string]string{"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}, asks: "CRITICAL: Respond with TEXT ONLY"},
	"codex": {files: map[string]string{".handoff/agents/codex.yaml": "context: {at: 67000}\n"},
		args: []string{"-c", "model_auto_compact_token_limit=67000"}, asks: "You are performing a CONTEXT CHECKPOINT"},
}

// growth are the tokens of the calls of a session, with the note that is due
// after each: the mark, 0 for none. The last call before the compaction is over
// the limit. Codex adds the ten tokens of the answer.
var growth = []struct{ tokens, mark, compactions int }{
	{30_000, 0, 0}, {32_000, 0, 0}, {45_000, 2, 0}, {46_000, 0, 0}, {61_000, 3, 0}, {62_000, 0, 0}, {68_000, 0, 0},
	{5_000, 0, 1}, {6_000, 0, 1}, {50_000, 3, 1}, {51_000, 0, 1},
}

// TestCompactionRealAgents has the context of real agents grow until they
// compact it in the middle of a turn. After each call of the model its shell
// asks the gauge, as a hook does: each mark is noted once, before the
// compaction, and not again until the new context has grown. The handoff that
// the agent continues is not delivered a second time.
func TestCompactionRealAgents(t *testing.T) {
	for name, c := range compacting {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bin, dir := commandDir(t), t.TempDir()
			handedOverIn(t, dir)
			for file, text := range c.files {
				writeFile(t, dir, file, text)
			}
			handoff := bin + "/handoff "
			ask := handoff + "gauge --note --json >> notes; " + handoff + "gauge --json >> readings; "
			again := handoff + "next --json >> next; " + handoff + "ack; " + handoff + "brief > brief; "
			var summaries, call int
			model := scriptedmodel.Start(t, func(r scriptedmodel.Request) scriptedmodel.Answer {
				if strings.Contains(r.Last, c.asks) {
					summaries++
					return scriptedmodel.Answer{Text: "<summary>The parser fails.</summary>", Input: 68_500}
				}
				call++
				if call > len(growth) {
					return scriptedmodel.Answer{Text: "The parser works.", Input: 52_000}
				}
				now := growth[call-1]
				command := ask
				switch {
				case call == 1:
					command += handoff + "ack --first-action 'Run `go test ./parse`.'"
				case call == len(growth):
					command += handoff + "done"
				case now.compactions > 0:
					command += again
				}
				return scriptedmodel.Answer{Input: now.tokens, Calls: []scriptedmodel.Call{realagents.Shell(name, "sleep 0.2; "+command)}}
			})
			agent := realagents.Prepare(t, name, dir, model)
			for variable, value := range c.env {
				agent.Env = append(agent.Env, variable+"="+value)
			}
			stdout, stderr, code := spawned(t, agent, bin, dir, []string{"--level", "all"}, c.args...)
			if code != 0 || stdout != "The parser works.\n" || summaries != 1 || call != len(growth)+1 {
				t.Errorf("exit code %d, output %q, %d summaries, %d calls: %s", code, stdout, summaries, call, stderr)
			}
			checkNotes(t, dir)
			checkDelivered(t, bin, dir, model)
		})
	}
}

// checkNotes compares the gauge's notes after each call with the growth.
func checkNotes(t *testing.T, dir string) {
	t.Helper()
	var want, got []string
	for i, g := range growth {
		want = append(want, fmt.Sprintf("call %d: %d tokens, compacted %d", i+1, g.tokens, g.compactions))
	}
	for i, r := range readings(t, dir, "readings") {
		got = append(got, fmt.Sprintf("call %d: %d tokens, compacted %d", i+1, (r.Used-r.Pending)/1000*1000, r.Compactions))
	}
	if !slices.Equal(got, want) {
		t.Errorf("readings:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	want, got = nil, nil
	for _, g := range growth {
		if g.mark > 0 {
			want = append(want, fmt.Sprintf("%d tokens: mark %d", g.tokens, g.mark))
		}
	}
	for _, r := range readings(t, dir, "notes") {
		got = append(got, fmt.Sprintf("%d tokens: %s %d", (r.Used-r.Pending)/1000*1000, r.Kind, r.Mark))
	}
	if !slices.Equal(got, want) {
		t.Errorf("notes:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// gaugeNote is what this test needs of a line of `handoff gauge --json`.
type gaugeNote struct {
	gauge.Reading
	Kind gauge.Kind `json:"kind"`
}

// readings are the lines of `handoff gauge --json` in a file.
func readings(t *testing.T, dir, file string) (list []gaugeNote) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(string(src)) {
		var r gaugeNote
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Errorf("%s: %q: %v", file, line, err)
		}
		list = append(list, r)
	}
	return list
}

// checkDelivered checks that each step of the handoff happened once, and that no
// request holds the brief twice.
func checkDelivered(t *testing.T, bin, dir string, model *scriptedmodel.Server) {
	t.Helper()
	receipts := stdoutOf(t, bin, dir, "receipts", "1")
	for _, step := range []string{"  claimed ", "  delivered ", "  acknowledged "} {
		if n := strings.Count(receipts, step); n != 1 {
			t.Errorf("%d times %q:\n%s", n, step, receipts)
		}
	}
	next, err := os.ReadFile(filepath.Join(dir, "next"))
	if err != nil || strings.Count(string(next), `"next":null`) != strings.Count(string(next), "\n") || !strings.Contains(string(next), `"state":"held"`) {
		t.Errorf("after the compaction it waits again: %s, %v", next, err)
	}
	for i, r := range model.Requests() {
		if n := strings.Count(strings.Join(r.Texts, "\n"), "Continue the work that the report below hands over"); i == 0 && n != 1 || n > 1 {
			t.Errorf("request %d holds the report %d times", i+1, n)
		}
	}
}
