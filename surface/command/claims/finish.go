package claims

import (
	"handoff/agents"
	"handoff/surface/command"
	"handoff/surface/command/level"
	"handoff/workspace"
)

// tests are the commands that show whether work is done, of a repository that the user trusts, or why
// none may be run: the caller may not start programs, or there is none.
func tests(w *command.Process, ws *workspace.Workspace) (commands [][]string, none string) {
	may, _ := agents.LevelOf(w.Getenv(agents.LevelVar))
	may = agents.Lowest(may, level.ClaimLevel(w, ws.Root))
	switch refused := ws.MayAct(); {
	case len(ws.Config.Checks.Tests) == 0:
		return nil, "checks.tests is empty"
	case may != agents.All:
		return nil, "at the level " + string(may) + " no program is started"
	case refused != nil:
		return nil, "the commands of checks.tests were not run: " + refused.Error()
	}
	return ws.Config.Checks.Tests, ""
}
