package relay

import (
	"errors"
	"testing"

	"handoff/agents"
	"handoff/workspace/relay/chain"
	"handoff/workspace/relay/log"
)

// TestBeginAtOnce: of relays of a task that begin at the same time, one runs.
func TestBeginAtOnce(t *testing.T) {
	dir := newTree(t)
	const relays = 8
	began := make(chan error, relays)
	for range relays {
		go func() {
			r, err := Start(t.Context(), openAt(dir), chain.Plan{Objective: "parse", Task: 1, Agents: []string{"fake"}, Level: agents.All}, Options{Agents: []agents.Agent{fakeAgent()}})
			if err == nil {
				t.Cleanup(func() { r.Close() })
			}
			began <- err
		}()
	}
	running := 0
	for range relays {
		switch err := <-began; {
		case err == nil:
			running++
		case !errors.Is(err, log.ErrRunning):
			t.Error(err)
		}
	}
	if running != 1 {
		t.Errorf("%d relays run", running)
	}
}
