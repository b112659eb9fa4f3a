package relays

import (
	"fmt"
	"strings"

	"handoff/agents"
	"handoff/document/evidence"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/spawn"
)

func allowFlag(commands *[]string) cli.Flag {
	return &cli.StringSliceFlag{Name: "allow", Action: command.To(commands), Usage: "`CMD`  at the level edit, a command that may also be run, with any further arguments, such as 'go test ./...'; repeat for more. What it runs itself is not limited"}
}

// checkAllowed checks the commands that the user lets an agent run at the level edit. The
// checks of a repository that he trusts come on top, where an agent is started: see
// [spawn.Checks].
func checkAllowed(level agents.Level, commands []string) error {
	for _, command := range commands {
		if err := agents.CheckAllow(command); err != nil {
			return err
		}
	}
	if len(commands) > 0 && level != agents.Edit {
		return fmt.Errorf("--allow is for the level edit, not %s", level)
	}
	return nil
}

// sayChecks says which checks of the repository an agent may run, or why it may not.
func sayChecks(w *command.Process, ws *workspace.Workspace, a agents.Agent, level agents.Level) {
	open, exact, refused := spawn.Checks(ws, a, level)
	if refused != nil {
		w.Say("%s may not run the commands of checks.allow: %s", command.Plain(a.Name), command.Plain(refused.Error()))
		return
	}
	var list []string
	for _, command := range open {
		list = append(list, "`"+command+" "+evidence.More+"`")
	}
	for _, command := range exact {
		list = append(list, "`"+command+"`")
	}
	if len(list) > 0 {
		w.Say("%s may also run %s, which you have trusted", command.Plain(a.Name), strings.Join(list, ", "))
	}
}

// allowArgs are the flags of a printed command that allows the same.
func allowArgs(commands []string) (args []string) {
	for _, command := range commands {
		args = append(args, "--allow", command)
	}
	return args
}
