package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
)

// TestChecksRealAgents: at the level edit an agent runs the checks that the user has trusted,
// one without ... only as it is, and nothing that it makes of them.
func TestChecksRealAgents(t *testing.T) {
	needs.Unix(t, "touch")
	for _, c := range []struct{ name, via string }{{"claude", "cli"}, {"claude", "acp"}, {"gemini", "cli"}, {"opencode", "acp"}} {
		t.Run(c.name+"-"+c.via, func(t *testing.T) {
			t.Parallel()
			bin, dir := commandDir(t), filepath.Join(outside(t), "work")
			handedOverIn(t, dir)
			writeFile(t, dir, ".handoff.yaml", "checks:\n  allow: [./mark open ..., ./mark exact]\n")
			writeFile(t, dir, "mark", "#!/bin/sh\nexec touch \"$@\"\n") // not a command that an agent runs anyway
			if err := os.Chmod(filepath.Join(dir, "mark"), 0o755); err != nil {
				t.Fatal(err)
			}
			lines := []string{"./mark open more", "./mark exact", "./mark exact longer", "./mark open; ./mark joined", "./mark other", "./mark opened"}
			model := scriptedmodel.Start(t, func(r scriptedmodel.Request) scriptedmodel.Answer {
				if r.Turn >= 1 && r.Turn <= len(lines) {
					return scriptedmodel.Answer{Calls: []scriptedmodel.Call{realagents.Shell(c.name, lines[r.Turn-1])}}
				}
				return scriptedmodel.Answer{Text: "That is all."}
			})
			agent := realagents.Prepare(t, c.name, dir, model)
			agent.Env = append(agent.Env, "HANDOFF_TRUST="+dir)
			_, stderr, _ := spawnedWithin(t, 5*time.Minute, agent, bin, dir, []string{"--via", c.via})
			if turns := len(model.Turns()); turns <= len(lines) {
				t.Errorf("only %d turns: %s", turns, stderr)
			}
			var made []string
			for _, name := range []string{"exact", "joined", "longer", "more", "open", "opened", "other"} {
				if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
					made = append(made, name)
				}
			}
			want := []string{"exact", "more", "open"}
			if !slices.Equal(made, want) || !strings.Contains(stderr, "may also run `./mark open ...`") {
				t.Errorf("made %q, want %q: %s", made, want, stderr)
			}
		})
	}
}
