package setup

import (
	"slices"
	"strings"

	"handoff/agents"
	"handoff/agents/host"
)

// Elsewhere is what a person who clones the project and has no handoff will notice, in one sentence; "" if nothing that
// is committed was changed.
func (p *Plan) Elsewhere() string {
	if p.request.User || p.request.Remove {
		return ""
	}
	var noisy []string
	hooks, server := false, false
	for _, s := range p.Steps {
		if !s.Changes() {
			continue
		}
		server = server || slices.Contains(s.Parts, Server)
		if !slices.Contains(s.Parts, Hooks) {
			continue
		}
		hooks = true
		for _, name := range s.Hosts {
			if p.noisy(name) && !slices.Contains(noisy, name) {
				noisy = append(noisy, name)
			}
		}
	}
	var what []string
	if hooks {
		what = append(what, "its hooks do nothing there")
	}
	if noisy != nil {
		what = append(what, strings.Join(noisy, " and ")+" may show on Windows that there is no handoff")
	}
	if server {
		what = append(what, "its MCP server does not start")
	}
	if what == nil {
		return ""
	}
	return "for those who clone this project and have no handoff: " + strings.Join(what, ", ") + "; with --user nothing is in the project"
}

// noisy reports whether no line is quiet in all shells that may run the hooks of a host.
func (p *Plan) noisy(name string) bool {
	i := slices.IndexFunc(p.table, func(a agents.Agent) bool { return a.Name == name })
	if i < 0 {
		return false
	}
	shells := p.table[i].Hooks.Shells
	return len(p.table[i].Hooks.Events) > 0 && (len(shells) == 0 || slices.Contains(shells, string(host.Cmd)) && slices.Contains(shells, string(host.PowerShell)))
}
