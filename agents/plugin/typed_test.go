package plugin_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
)

// typed are the words that a person types in a host with the plugin.
var typed = map[string][]string{
	"claude": {"/handoff:pickup"}, // where the skill is /handoff:handoff
	"gemini": {"/pickup", "/handoff"},
}

// TestTyped: each word gives the model the command's text, and costs nothing in a session in which it is not typed.
func TestTyped(t *testing.T) {
	needs.Unix(t, "the program is a shell script")
	for name, words := range typed {
		for _, word := range append(words, "hello") {
			t.Run(name+" "+strings.Trim(word, "/"), func(t *testing.T) {
				t.Parallel()
				work := t.TempDir()
				model := scriptedmodel.Start(t, func(scriptedmodel.Request) scriptedmodel.Answer { return scriptedmodel.Answer{Text: "finished"} })
				agent := realagents.Prepare(t, name, work, model)
				silent(t, agent)
				installIn(t, agent, work)
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
				defer cancel()
				cmd := exec.CommandContext(ctx, agent.Path, append(agent.Args[:1:1], append(flags[name], agent.Args[1:]...)...)...)
				cmd.Dir, cmd.Stdin = work, strings.NewReader(word)
				cmd.Env = append(cmd.Environ(), agent.Env...)
				out, err := cmd.CombinedOutput()
				turns := model.Turns()
				if err != nil || len(turns) == 0 {
					t.Fatalf("%v: %d requests\n%s", err, len(turns), out)
				}
				text := "Continue the work that an earlier session left, in this order"
				if strings.HasSuffix(word, "handoff") {
					text = "Hand this work over to the next session, in this order"
				}
				if got := turns[0].Contains(text); got != (word != "hello") {
					t.Errorf("%s: the text of the command is in the request: %v", word, got)
				}
			})
		}
	}
}

// silent puts a program called handoff that says nothing into the agent's PATH: without a terminal Gemini CLI puts the
// text of a hook before the prompt, which is no command then.
func silent(t *testing.T, agent *realagents.Agent) {
	t.Helper()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "handoff"), []byte("#!/bin/sh\n[ \"$1\" = mcp ] || cat >/dev/null\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	putFirst(agent, bin)
}
