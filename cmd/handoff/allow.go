package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"handoff/agents"
)

func allowFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "allow", Usage: "at the level edit, also run `CMD` with any further arguments, such as 'go test ./...'; repeat for more. What CMD itself runs is not limited"}
}

// allowedCommands are the commands that a started agent may run at the level edit. This is
// the one place where they come in: a list of the repository (checks.allow in its
// configuration) may be added here once a person has trusted the repository, never before.
func allowedCommands(c *cli.Context, level agents.Level) ([]string, error) {
	commands := c.StringSlice("allow")
	for _, command := range commands {
		if err := agents.CheckAllow(command); err != nil {
			return nil, err
		}
	}
	if len(commands) > 0 && level != agents.Edit {
		return nil, fmt.Errorf("--allow is for the level edit, not %s", level)
	}
	return commands, nil
}

// allowArgs are the flags of a printed command that allows the same.
func allowArgs(commands []string) (args []string) {
	for _, command := range commands {
		args = append(args, "--allow", command)
	}
	return args
}
