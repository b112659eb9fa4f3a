package command

import (
	"fmt"
	"strings"

	"handoff/surface/command/cli"
	"handoff/workspace"
)

// CommandName is the command as the user types it after handoff: "artifact
// put".
func CommandName(c *cli.Context) string {
	return strings.TrimPrefix(c.Command.HelpName, c.App.Name+" ")
}

// Alone is the action of a command that takes no arguments.
func Alone(do cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if err := noArguments(c); err != nil {
			return err
		}
		return do(c)
	}
}

// InWorkspace is the action of a command that works in a workspace.
func (w *Process) InWorkspace(do func(*cli.Context, *workspace.Workspace) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		ws, err := w.Here()
		if err != nil {
			return err
		}
		return do(c, ws)
	}
}

// noArguments rejects arguments of a command that takes none.
func noArguments(c *cli.Context) error {
	if c.Args().Present() {
		return fmt.Errorf("unexpected argument %q (`handoff %s --help` shows the usage)", c.Args().First(), CommandName(c))
	}
	return nil
}
