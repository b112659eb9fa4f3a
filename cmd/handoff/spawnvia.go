package main

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

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

// wayOf is how an agent is started. Over the protocol it is another command.
func wayOf(c *cli.Context, r *spawn.Request) (via string, err error) {
	switch via = c.String("via"); via {
	case viaAuto:
		if via = viaCLI; !r.Agent.Headless() && len(r.Agent.ACP.Command) > 0 {
			via = viaACP
		}
	case viaCLI, viaACP, viaTmux, viaPrint:
	default:
		return "", fmt.Errorf("--via %q: want auto, cli, acp, tmux or print", via)
	}
	if via == viaACP {
		if r.Agent.Program == "" && len(r.Args) == 0 {
			return "", fmt.Errorf("%s has no program: give the command after --", r.Agent.Name)
		}
		self, err := os.Executable()
		if err != nil {
			return "", err
		}
		if r.Agent, err = r.Agent.OverACP(self); err != nil {
			return "", err
		}
	}
	if c.Bool("print") {
		via = viaPrint
	}
	return via, nil
}
