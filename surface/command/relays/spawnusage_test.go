package relays

import (
	"strings"
	"testing"

	"handoff/agents"
)

// TestSpawnBudget: options of spawn that contradict each other, without a command line.
func TestSpawnBudget(t *testing.T) {
	agentOf := func(stream string) agents.Agent { return agents.Agent{Name: "x", Stream: stream} }
	for _, c := range []struct {
		err  error
		want string // what the error begins with; "" for none
	}{
		{spawnBudget(false, agentOf("text")), ""},
		{spawnBudget(true, agentOf("text")), "x does not report"},
	} {
		got := ""
		if c.err != nil {
			got = c.err.Error()
		}
		if c.want == "" && c.err != nil || !strings.HasPrefix(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
