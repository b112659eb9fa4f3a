package command

import (
	"handoff/agents"
	"handoff/agents/host"
)

// PersonPresent reports whether a person types at the terminal from which the command reads and to which it
// writes: only a person is asked, and gets a pager. An agent may have a terminal, too.
func (w *Process) PersonPresent() bool {
	if !IsTerminal(w.Stdin) || !IsTerminal(w.Stdout) || w.Getenv("TERM") == "dumb" {
		return false
	}
	for _, name := range []string{agents.LevelVar, agents.RelayVar, "HANDOFF_RUN_ID", "CI"} {
		if w.Getenv(name) != "" {
			return false
		}
	}
	_, agent := host.Agent(w.Getenv)
	return !agent
}
