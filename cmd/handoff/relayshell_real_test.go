package main

import (
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// TestRelayRealShells: a shell sets PATH anew. Claude Code restores its own, so its commands find handoff. Those
// of Codex do not: the link ends with the first of them, and says why, instead of going on without a way to
// hand over.
func TestRelayRealShells(t *testing.T) {
	needs.Tool(t, "bash")
	for name, reason := range map[string]string{"claude": "done", "codex": "died"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRelay(t)
			link := finishes(name, "handoff", "handoff done") // as the prompt has it
			r.serve(link, link)
			writeFile(t, r.dir, "profile", "PATH=/usr/bin:/bin\n")
			r.env = append(r.env, "BASH_ENV="+filepath.Join(r.dir, "profile"), "SHELL=/bin/bash")
			log, _ := r.start()
			said := strings.Contains(log, "its shell does not find handoff (") && strings.Contains(log, "handoff: command not found")
			if r.reason() != reason || said != (reason == "died") {
				t.Errorf("ended as %q, says why: %t", r.reason(), said)
			}
		})
	}
}
