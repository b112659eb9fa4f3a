package main

import (
	"slices"
	"testing"

	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
)

// TestRelayRealAgentsWithHooks runs a relay of agents that have the hooks of `handoff setup`. The second one
// finishes the work, while little is left of its context, and does what it is asked: nobody asks it for
// a handoff, and the relay ends.
func TestRelayRealAgentsWithHooks(t *testing.T) {
	const name = "claude"
	r := newRelay(t)
	stdoutOf(t, r.bin, r.dir, "setup", name, "--project")
	shell := func(tokens int, command string) scriptedmodel.Answer {
		return scriptedmodel.Answer{Input: tokens, Calls: []scriptedmodel.Call{realagents.Shell(name, command)}}
	}
	const low = 128_000 // a hook gives a note, but the relay does not interrupt yet
	last := linkScript{agent: name, begin: []scriptedmodel.Answer{
		shell(low, r.ack(1)), shell(low+10, r.handoff+" done"),
		shell(low+20, "sleep 1"), // the hook reads the transcript
		{Input: low + 30, Text: "The parser works."},
		shell(low+40, r.handoff+" new --task 1 --phase 1 --from values2.yaml"), // if it is asked
	}}
	r.serve(fillsUp(name, r.handoff, "echo begun", "values1.yaml"), last)
	log, code := r.start("--via", "cli")
	if documents := r.documents(); code != 0 || len(documents) != 1 || len(r.script.begun) != 2 || r.reason() != "done" {
		t.Fatalf("exit code %d, handoffs %q, %d links: %s", code, documents, len(r.script.begun), log)
	}
	for _, says := range []string{"This is asked once", "Work can continue after it."} {
		if slices.ContainsFunc(r.model.Requests(), func(q scriptedmodel.Request) bool { return q.Contains(says) }) {
			t.Errorf("a hook said %q", says)
		}
	}
}
