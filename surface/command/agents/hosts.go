package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"handoff/agents"
	"handoff/agents/host"
	"handoff/agents/sessions"
	"handoff/surface/command"
	"handoff/workspace"
)

// hosts returns the table of agents for setup and doctor in a project: nil for the built-in
// one, or with the project's own entries, once the user has trusted them. why is the reason
// why there are entries that are not used.
func hosts(w *command.Process, project string) (table []agents.Agent, why, err error) {
	if entries, _ := os.ReadDir(filepath.Join(project, filepath.FromSlash(sessions.Overrides))); len(entries) == 0 {
		return nil, nil, nil // also without the folder
	}
	ws, err := workspace.Open(project, w.Options())
	if err != nil {
		return nil, nil, err
	}
	if refused := ws.MayAct(); refused != nil {
		return nil, fmt.Errorf("the agents in %s are not used: %w", sessions.Overrides, refused), nil
	}
	table, err = sessions.Table(project)
	return table, nil, err
}

// unknownOwn is why, if one of the names is that of an agent which only the project has.
func unknownOwn(project string, names []string, why error) error {
	if why != nil && slices.ContainsFunc(names, func(name string) bool {
		_, err := host.Named(name)
		return err != nil && sessions.HasOwn(project, name)
	}) {
		return why
	}
	return nil
}
