package agents

import (
	"cmp"
	"fmt"
	"slices"
)

// OverACP is the agent as `handoff acp` runs it: self is the path of handoff. An
// agent without a program is the command that the caller adds.
func (a Agent) OverACP(self string) (Agent, error) {
	if len(a.ACP.Command) == 0 && a.Program != "" {
		return a, fmt.Errorf("%w speak the Agent Client Protocol: start %s with --via cli", ErrCannot, a.Title)
	}
	m := a.ACP.Modes
	a.Start, a.Resume = List{"acp"}, append(List{"acp", "--session", "{session}"}, a.ACP.Resume...)
	a.Permissions = Permissions{Read: overACP(ReadOnly, m.Read), Edit: overACP(Edit, m.Edit), All: overACP(All, m.All), Env: a.ACP.Env, Allow: anyCommand, Exact: anyCommand}
	a.last = append(List{"--"}, a.ACP.Command...)
	a.ReportsCost, a.overACP = false, true
	a.Program, a.Prompt, a.Stream, a.Session, a.Instructions, a.Exits = self, Stdin, "acp", nil, nil, nil
	return a, nil
}

func overACP(level Level, modes List) List {
	args := List{"--level", string(level)}
	for _, mode := range modes {
		args = append(args, "--mode", mode)
	}
	return args
}

// Keeps reports whether the agent, started in this way, is held to a level.
func (a Agent) Keeps(l Level) bool {
	return !slices.Contains(a.Permissions.Unkept, string(cmp.Or(l, Edit)))
}

// Headless reports whether the agent can be started unattended, with the prompt
// on standard input.
func (a Agent) Headless() bool {
	return a.Prompt == Stdin && (len(a.Start) > 0 || a.Program == "")
}

// Needs are the programs that have to be installed.
func (a Agent) Needs() []string {
	need := List{a.Program}
	if len(a.last) > 1 {
		need = append(need, a.last[1])
	}
	return slices.DeleteFunc(need, func(program string) bool { return program == "" })
}
