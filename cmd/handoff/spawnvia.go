package main

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"handoff/agents"
	"handoff/workspace/spawn"
)

// The values of --via.
const (
	viaAuto  = "auto"
	viaCLI   = "cli"
	viaACP   = "acp"
	viaTmux  = "tmux"
	viaPrint = "print"
)

const viaHelp = "cli, its own command line; acp, the Agent Client Protocol; tmux, a new window that runs this command; print, as --print; auto, cli if it can"

// wayOf is how an agent is started, and changes the request accordingly.
func wayOf(c *cli.Context, r *spawn.Request) (via string, err error) {
	switch via = c.String("via"); via {
	case viaAuto, viaCLI, viaACP, viaTmux, viaPrint:
	default:
		return "", fmt.Errorf("--via %q: want auto, cli, acp, tmux or print", via)
	}
	if via == viaACP && r.Agent.Program == "" && len(r.Args) == 0 {
		return "", fmt.Errorf("%s has no program: give the command after --", r.Agent.Name)
	}
	if via, r.Agent, err = startedVia(via, r.Agent, r.Level); err != nil {
		return "", err
	}
	if c.Bool("print") {
		via = viaPrint
	}
	return via, nil
}

// startedVia returns how to start an agent at a level; auto becomes cli or acp. Over the
// Agent Client Protocol the command is handoff itself, which talks to the agent.
func startedVia(via string, a agents.Agent, level agents.Level) (string, agents.Agent, error) {
	if via == viaAuto {
		if via = viaCLI; len(a.ACP.Command) > 0 && (!a.Headless() || a.ACP.Limits && level != agents.All) {
			via = viaACP
		}
	}
	if via != viaACP {
		return via, a, nil
	}
	self, err := os.Executable()
	if err != nil {
		return via, a, err
	}
	a, err = a.OverACP(self)
	return via, a, err
}
