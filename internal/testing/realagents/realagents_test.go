package realagents_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
)

// TestAgents runs each agent once: the prompt reaches the model, the command that
// the model calls runs, its output reaches the model, and the agent ends.
func TestAgents(t *testing.T) {
	for _, name := range slices.Concat(realagents.Names(), realagents.More()) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			work := t.TempDir()
			model := scriptedmodel.Start(t, func(r scriptedmodel.Request) scriptedmodel.Answer {
				if r.Turn == 1 {
					return scriptedmodel.Answer{Calls: []scriptedmodel.Call{realagents.Shell(name, "printf seen-%s here > note && cat note")}}
				}
				return scriptedmodel.Answer{Text: "finished"}
			})
			agent := realagents.Prepare(t, name, work, model)
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, agent.Path, agent.Args...)
			cmd.Dir, cmd.Stdin = work, strings.NewReader("the-prompt-of-the-test")
			cmd.Env = append(cmd.Environ(), agent.Env...) // after Dir, so that PWD agrees: OpenCode works there
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			turns := model.Turns()
			if len(turns) != 2 || !turns[0].Contains("the-prompt-of-the-test") || !turns[1].Contains("seen-here") {
				for _, r := range model.Requests() {
					t.Logf("turn %d, tools %v, last: %.600s", r.Turn, r.Tools, r.Last)
				}
				t.Fatalf("%d turns: %s", len(turns), out)
			}
			if note, err := os.ReadFile(filepath.Join(work, "note")); err != nil || string(note) != "seen-here" {
				t.Errorf("note: %q, %v", note, err)
			}
			if !strings.Contains(string(out), "finished") {
				t.Errorf("the answer is not in the output: %s", out)
			}
		})
	}
}
