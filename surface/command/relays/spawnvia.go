package relays

import (
	"fmt"
	"os"

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
func wayOf(o *spawnOptions, r *spawn.Request) (via string, err error) {
	switch via = o.via; via {
	case viaAuto, viaCLI, viaACP, viaTmux, viaPrint:
	default:
		return "", fmt.Errorf("--via %q: want auto, cli, acp, tmux or print", via)
	}
	if via == viaACP && r.Agent.Program == "" && len(r.Args) == 0 {
		return "", fmt.Errorf("%s has no program: give the command after --", r.Agent.Name)
	}
	printed := o.print || via == viaPrint
	if via == viaPrint {
		via = viaAuto // the command that would be started
	}
	if via, r.Agent, err = startedVia(via, r.Agent, r.Level); err != nil {
		return "", err
	}
	if printed {
		via = viaPrint
	}
	return via, nil
}

// startedVia returns how to start an agent at a level; auto becomes cli or acp. Over the
// Agent Client Protocol the command is handoff itself, which talks to the agent.
func startedVia(via string, a agents.Agent, level agents.Level) (string, agents.Agent, error) {
	if via == viaAuto {
		if via = viaCLI; len(a.ACP.Command) > 0 && (!a.Headless() || !a.Keeps(level)) {
			via = viaACP
		}
	}
	if via == viaCLI && !a.Keeps(level) {
		return via, a, notKept(a, level)
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

// notKept refuses an agent that would not be held to the level.
func notKept(a agents.Agent, level agents.Level) error {
	instead := ""
	if len(a.ACP.Command) > 0 {
		instead = "leave --via cli out, so that it is started over the Agent Client Protocol, or "
	}
	return fmt.Errorf("the command line of %s does not keep the level %s: %spass --level all, with which it may do everything", a.Title, level, instead)
}
