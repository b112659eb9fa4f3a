package main

import (
	"slices"
	"strings"
	"testing"

	"handoff/internal/testing/scriptedmodel"
)

// TestDeliveryAfterCompactionRealAgents: each time that a real agent compacts its
// context in the middle of a turn, the handoff that was delivered to the session
// is in its context again, once.
func TestDeliveryAfterCompactionRealAgents(t *testing.T) {
	for name, c := range compacting {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, name)
			handedOverIn(t, h.dir)
			h.run("setup", name, "--project")
			for variable, value := range c.env {
				h.agent.Env = append(h.agent.Env, variable+"="+value)
			}
			var work []scriptedmodel.Answer
			for _, tokens := range []int{20_000, 30_000, 68_000, 20_000, 30_000, 68_000, 20_000} {
				work = append(work, h.calls(tokens, "sleep 0.2; echo more"))
			}
			model, summaries := answers(work...), 0
			requests := h.session(func(r scriptedmodel.Request) scriptedmodel.Answer {
				if strings.Contains(r.Last, c.asks) {
					summaries++
					return scriptedmodel.Answer{Text: "<summary>The parser fails.</summary>", Input: 68_500}
				}
				return model(r)
			}, c.args...)
			own := slices.DeleteFunc(turns(requests), func(r scriptedmodel.Request) bool { return strings.Contains(r.Last, c.asks) })
			if summaries != 2 {
				t.Fatalf("%d compactions", summaries)
			}
			checkDelivers(t, "the session", own, firstGoal, 1, 8)
		})
	}
}

// TestSpawnAfterSetupRealAgent: the hook adds nothing to a session that `handoff
// spawn` starts: its prompt contains the report already.
func TestSpawnAfterSetupRealAgent(t *testing.T) {
	h := newHost(t, "claude")
	handedOverIn(t, h.dir)
	h.run("setup", "claude", "--project")
	script := answers(h.calls(20_000, "handoff ack --first-action 'Run `go test ./parse`.'"), h.calls(21_000, "handoff done"))
	h.script.Store(&script)
	stdout, stderr, code := spawned(t, h.agent, h.bin, h.dir, []string{"--level", "all"})
	if code != 0 || stdout != "The parser works.\n" || h.state("1") != "done" {
		t.Errorf("exit code %d, state %s: %s%s", code, h.state("1"), stdout, stderr)
	}
	checkDelivers(t, "the spawned session", h.model.Requests(), firstGoal, 1, 3)
}
