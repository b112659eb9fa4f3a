package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"handoff/agents"
	"handoff/agents/transcript"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
	"handoff/internal/testing/waittest"
)

// TestSpawnCancelled ends a spawn over ACP while the model of a real agent
// answers nothing: the handoff waits again. An agent that reports the end of the
// turn in time is not killed.
func TestSpawnCancelled(t *testing.T) {
	needs.Unix(t, "signals")
	for _, name := range realagents.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bin, dir := commandDir(t), t.TempDir()
			handedOverIn(t, dir)
			model := scriptedmodel.Start(t, func(r scriptedmodel.Request) scriptedmodel.Answer {
				return scriptedmodel.Answer{Text: "A title", Hang: r.Turn > 0}
			})
			agent := realagents.Prepare(t, name, dir, model)
			cmd := programIn(t, bin, dir, "spawn", "1", "--agent", name, "--via", "acp", "--json")
			cmd.Env = append(cmd.Environ(), agent.Env...)
			cmd.Env = append(cmd.Env, clockVar+"=")
			var out strings.Builder
			cmd.Stdout = &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waittest.Until(t, "a request to the model", func() bool { return len(model.Turns()) > 0 })
			cmd.Process.Signal(syscall.SIGTERM)
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 128+int(syscall.SIGTERM) {
				t.Errorf("exit code %d: %s", code, out.String())
			}
			receipts := stdoutOf(t, bin, dir, "receipts", "1")
			if !strings.Contains(receipts, "  released ") || !strings.Contains(receipts, name+" was stopped") {
				t.Errorf("not released: %s", receipts)
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			var end struct{ Thread string }
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &end); err != nil || end.Thread == "" {
				t.Fatalf("%v: %s", err, out.String())
			}
			kept := stdoutOf(t, bin, dir, "thread", "show", end.Thread)
			if !strings.Contains(kept, `"stopReason":"cancelled"`) && !strings.Contains(kept, `"error":{"message":"stopped by terminated"}`) {
				t.Errorf("the end is not reported: %s", kept)
			}
		})
	}
}

// TestResumeOverACP continues a session of each real agent in a second process:
// its model gets the first prompt again.
func TestResumeOverACP(t *testing.T) {
	for _, name := range realagents.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bin, dir := commandDir(t), t.TempDir()
			model := scriptedmodel.Start(t, func(r scriptedmodel.Request) scriptedmodel.Answer {
				return scriptedmodel.Answer{Text: "I heard you.", Input: 4000 + 1000*r.Turn, Output: 10}
			})
			agent := realagents.Prepare(t, name, dir, model)
			first := turnOverACP(t, agent, bin, dir, "the-first-prompt", agents.Call{})
			second := turnOverACP(t, agent, bin, dir, "the-second-prompt", agents.Call{Session: first.ID, Resume: true})
			if first.ID == "" || second.ID != first.ID || second.Said[len(second.Said)-1] != "I heard you." {
				t.Errorf("first %+v, second %+v", first, second)
			}
			turns := model.Turns()
			if len(turns) != 2 || !turns[1].Contains("the-first-prompt") || !turns[1].Contains("the-second-prompt") || turns[0].Contains("the-second-prompt") {
				t.Fatalf("%d turns: %.3000v", len(turns), turns)
			}
			if name != "gemini" && (second.Used < 6000 || second.Used > 6010 || second.Window == 0) { // Gemini CLI reports no usage over ACP
				t.Errorf("%d tokens of %d", second.Used, second.Window)
			}
		})
	}
}

// turnOverACP is what one turn reports.
func turnOverACP(t *testing.T, agent *realagents.Agent, bin, dir, prompt string, call agents.Call) (s transcript.Session) {
	t.Helper()
	a, err := agents.Builtin(agent.Name)
	if err == nil {
		a, err = a.OverACP(filepath.Join(bin, "handoff"))
	}
	if err != nil {
		t.Fatal(err)
	}
	args, err := a.Args(call)
	if err != nil {
		t.Fatal(err)
	}
	cmd := programIn(t, bin, dir, args...)
	cmd.Env = append(cmd.Environ(), agent.Env...)
	cmd.Env = a.Environ(append(cmd.Env, clockVar+"="), call, dir)
	var errs strings.Builder
	cmd.Stdin, cmd.Stderr = strings.NewReader(prompt), &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s%s", err, out, errs.String())
	}
	for line := range strings.Lines(string(out)) {
		r, _ := transcript.Formats["acp"]([]byte(line))
		s.Add(r)
	}
	return s
}

// TestLevelOverACP has the models of real agents, which ask before they act, run a
// command and write a file: only what the level allows happens.
func TestLevelOverACP(t *testing.T) {
	writes := map[string]scriptedmodel.Call{
		"claude":   {Name: "Write", Input: map[string]any{"content": "text"}},
		"gemini":   {Name: "write_file", Input: map[string]any{"content": "text"}},
		"opencode": {Name: "write", Input: map[string]any{"content": "text"}},
	}
	for name, write := range writes {
		for _, level := range []agents.Level{agents.ReadOnly, agents.Edit} {
			t.Run(name+"-"+string(level), func(t *testing.T) {
				t.Parallel()
				bin, dir, elsewhere := commandDir(t), t.TempDir(), t.TempDir()
				into := func(file string) scriptedmodel.Call {
					input := maps.Clone(write.Input)
					input[map[bool]string{true: "filePath", false: "file_path"}[name == "opencode"]] = file
					return scriptedmodel.Call{Name: write.Name, Input: input}
				}
				calls := []scriptedmodel.Call{realagents.Shell(name, "echo ran > ran"), into(filepath.Join(elsewhere, "outside")), into(filepath.Join(dir, "inside"))}
				model := scriptedmodel.Start(t, func(r scriptedmodel.Request) scriptedmodel.Answer {
					if r.Turn >= 1 && r.Turn <= len(calls) {
						return scriptedmodel.Answer{Calls: calls[r.Turn-1 : r.Turn]}
					}
					return scriptedmodel.Answer{Text: "That is all."}
				})
				turnOverACP(t, realagents.Prepare(t, name, dir, model), bin, dir, "the prompt", agents.Call{Level: level})
				for file, want := range map[string]bool{filepath.Join(dir, "ran"): false, filepath.Join(elsewhere, "outside"): false, filepath.Join(dir, "inside"): level == agents.Edit} {
					if _, err := os.Stat(file); (err == nil) != want {
						t.Errorf("%s exists: %v, want %v", file, err == nil, want)
					}
				}
				for _, r := range model.Turns() {
					t.Logf("turn %d: %.300s", r.Turn, r.Last)
				}
			})
		}
	}
}
