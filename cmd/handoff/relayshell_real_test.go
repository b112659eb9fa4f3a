package main

import (
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// TestRelayRealShells: a shell sets PATH anew. Claude Code restores its own, so its commands find handoff. Those
// of Codex and of Continue do not: nothing is started, and the reason is said. An agent whose way to start a shell is
// not known ends with the first command that needs handoff.
func TestRelayRealShells(t *testing.T) {
	needs.Tool(t, "bash")
	for name, want := range map[string]struct{ state, entry string }{"claude": {"done", ""}, "codex": {"", ""}, "codex unasked": {"died", "shell: []\n"}, "continue": {"", ""}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRelay(t)
			name, _, _ := strings.Cut(name, " ")
			if want.entry != "" {
				writeFile(t, r.dir, ".handoff/agents/"+name+".yaml", want.entry)
			}
			link := finishes(name, "handoff", "handoff done") // as the prompt has it
			r.serve(link, link)
			writeFile(t, r.dir, "profile", "PATH=/usr/bin:/bin\n")
			r.env = append(r.env, "BASH_ENV="+filepath.Join(r.dir, "profile"), "AGENT_PATH=/usr/bin:/bin", "SHELL=/bin/bash")
			log, code := r.start()
			said := strings.Contains(log, "its shell does not find handoff (") && strings.Contains(log, "handoff: command not found")
			if r.reason() != want.state || said != (want.state != "done") || (code == 0) == said {
				t.Errorf("ended as %q with %d, says why: %t", r.reason(), code, said)
			}
			if asked := len(r.model.Turns()); want.state == "" && asked > 0 {
				t.Errorf("the model was asked %d times", asked)
			}
		})
	}
}
