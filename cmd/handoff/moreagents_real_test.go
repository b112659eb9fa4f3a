package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/realagents"
)

// moreWindows are the settings of agents whose model, which no table knows, has a window.
var moreWindows = map[string]string{
	"qwen": "context: {windows: [131072]}\n",
	"pi":   "context: {windows: [200000]}\n",
}

// TestRelayMoreAgents has the agents that are tested less each run a relay of two links: the context of the first
// one fills up, as its transcript or its stream shows, it is asked for a handoff and writes one; the second one
// acknowledges it and finishes. Continue and Cline report no tokens and resume nothing: their models write the handoff
// by themselves, as the prompt says.
func TestRelayMoreAgents(t *testing.T) {
	for _, name := range realagents.More() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRelay(t)
			if text := moreWindows[name]; text != "" {
				writeFile(t, r.dir, ".handoff/agents/"+name+".yaml", text)
			}
			first := fillsUp(name, r.handoff, "echo begun", "values1.yaml")
			silent := name == "continue" || name == "cline"
			if silent {
				first = handsOver(name, r.handoff, "echo begun", "values1.yaml")
			}
			r.serve(first, finishes(name, r.handoff, r.ack(1)))
			log, code := r.start()
			documents := r.documents()
			if code != 0 || len(documents) != 1 || len(r.script.begun) != 2 || r.reason() != "done" {
				t.Fatalf("exit code %d, handoffs %q, %d links: %s", code, documents, len(r.script.begun), log)
			}
			if asked := strings.Contains(log, "asked for a handoff"); asked == silent {
				t.Errorf("asked for a handoff: %t", asked)
			}
			r.checkPassedOn(documents[0], 2, "done since")
		})
	}
}

// TestSetupMoreAgents: the hooks that `handoff setup` writes deliver a handoff into the first request of a session of
// those that have hooks, once, and `--remove` leaves nothing behind. (Qwen
// Code adds its version to its settings, which stay, and keeps a copy of them.)
func TestSetupMoreAgents(t *testing.T) {
	for name, end := range map[string]string{"qwen": "delivered", "copilot": "released"} { // Qwen Code does not report the end of a session without a person
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, name)
			handedOverIn(t, h.dir)
			h.git("add", "--all")
			h.git("commit", "-qm", "Begin")
			h.run("setup", name, "--project")
			requests := h.session(answers(h.calls(20_000, "echo one"), h.calls(21_000, "echo two")))
			checkDelivers(t, "the session", requests, firstGoal, 1, 3)
			if state := h.state("1"); state != end {
				t.Errorf("after the session the handoff is %q, want %q", state, end)
			}
			h.run("setup", name, "--remove", "--project")
			if status := h.git("status", "--porcelain", "--", ":!.rip", ":!.qwen"); status != "" {
				t.Errorf("after --remove: %s", status)
			}
			if own, err := os.ReadFile(filepath.Join(h.dir, ".qwen/settings.json")); err == nil && strings.Contains(string(own), "handoff") {
				t.Errorf("after --remove: %s", own)
			}
		})
	}
}
