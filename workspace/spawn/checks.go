package spawn

import (
	"cmp"

	"handoff/agents"
	"handoff/workspace"
)

// Checks are the commands of checks that an agent may run at the level edit: open ones with
// any further arguments, and exact ones. They are a list of the repository, so they count
// only if the user has trusted exactly what was read, and refused is why they do not.
func Checks(ws *workspace.Workspace, a agents.Agent, l agents.Level) (open, exact []string, refused error) {
	if cmp.Or(l, agents.Edit) != agents.Edit {
		return nil, nil, nil
	}
	open, exact = a.Permitted(ws.Config.Checks.Allow.Lines())
	if len(open)+len(exact) == 0 {
		return nil, nil, nil
	}
	if err := ws.MayAct(); err != nil {
		return nil, nil, err
	}
	return open, exact, nil
}
