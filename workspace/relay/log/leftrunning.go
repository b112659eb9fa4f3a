package log

import (
	"os"
	"path/filepath"

	"handoff/agents"
	"handoff/internal/procgroup"
	"handoff/internal/state"
	"handoff/workspace"
	"handoff/workspace/relay/chain"
)

// LeftRunning returns the processes that agents of relays of the workspace have started and that run, by relay. While no agent
// of a relay works, these are what they have left running. Secrets in their arguments are masked.
func LeftRunning(ws *workspace.Workspace) map[string][]procgroup.Process {
	runs, err := os.Stat(filepath.Join(ws.Root, state.Dir, state.Runs))
	if err != nil {
		return nil // an agent has deleted it
	}
	byRelay := procgroup.Having(func(getenv func(string) string) string {
		id := getenv(agents.RelayVar)
		if id == "" {
			return ""
		}
		of, err := os.Stat(filepath.Dir(getenv("HANDOFF_EVENTS")))
		if err != nil || !os.SameFile(of, runs) { // a relay of another workspace
			return ""
		}
		return id
	})
	for _, list := range byRelay {
		for i := range list {
			list[i].Command = chain.OneLine(list[i].Command)
		}
	}
	return byRelay
}

// AddLeftRunning adds to the relays of a list that do not run what their agents have left running.
func AddLeftRunning(ws *workspace.Workspace, list []Summary) {
	left := LeftRunning(ws)
	for i := range list {
		if s := &list[i]; s.State != running {
			s.LeftRunning = left[s.ID]
		}
	}
}
