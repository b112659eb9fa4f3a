package doctor

import (
	"slices"

	"handoff/agents/setup"
	"handoff/agents/setup/edit"
)

// isSetUp reports whether handoff is set up for a host. Files that several hosts
// read count only if the user asked for this host.
func isSetUp(s setup.Survey, asked bool) bool {
	return s.Plugin != "" || len(s.Shared) > 0 && (asked || s.Evidence != "") ||
		slices.ContainsFunc(s.Looks, func(l setup.Look) bool { return l.Has() && (asked || l.Own) })
}

// installed reports what of handoff a host has.
func installed(a agent, s setup.Survey) (lines []Line) {
	lines = named(a.Name, []check{{"plugin", func(*Machine) []Line { return plugins(a, s) }}, {"hooks", func(m *Machine) []Line { return programs(m, s) }}}, a.m)
	for _, kind := range []setup.Kind{setup.Hooks, setup.Plugin, setup.Listed, setup.Server, setup.Skill, setup.Rules} {
		for _, l := range part(a.Name, kind, s) {
			l.Check = string(kind)
			lines = append(lines, l)
		}
	}
	return lines
}

// part reports one kind.
func part(name string, kind setup.Kind, s setup.Survey) (lines []Line) {
	var has []setup.Look
	known := false
	for _, l := range s.Looks {
		if l.Kind != kind {
			continue
		}
		known = true
		if l.Has() {
			has = append(has, l)
		}
		if line, ok := reported(name, l); ok {
			lines = append(lines, line)
		}
	}
	switch {
	case !known:
		return nil
	case s.Plugin != "" && len(has) > 0 && kind != setup.Rules:
		lines = append(lines, warning(removal(name, has[0]), "doubled: the plugin has it, too").at(has[0].Path, has[0].Line))
	case len(has) > 1:
		lines = append(lines, warning(removal(name, has[1]), "doubled: %s has it, too", has[1].Shown).at(has[0].Path, has[0].Line))
	}
	if kind == setup.Hooks && len(s.Shared) > 0 {
		lines = append(lines, shared(name, has, s.Shared[0]))
	} else if len(lines) == 0 && s.Plugin == "" {
		lines = append(lines, missing(name, kind))
	}
	return lines
}

// reported is the line to print for one file, if there is anything to report.
func reported(name string, l setup.Look) (Line, bool) {
	again := "handoff setup " + name + scope(l)
	switch l.State {
	case setup.Current:
		return good("installed").at(l.Path, l.Line), true
	case setup.Older:
		return warning(again, "of another version, or incomplete").at(l.Path, l.Line), true
	case setup.Foreign:
		if l.Why == edit.Yours {
			return good("not installed: the file %s", l.Why).at(l.Path, l.Line), true
		}
		return warning("remove it, then "+again, "%s", l.Why).at(l.Path, l.Line), true
	case setup.Broken:
		return problem("correct the file, then "+again, "cannot be read: %s", l.Why).at(l.Path, l.Line), true
	}
	return Line{}, false
}

// missing is the line for what no file has. Without hooks handoffs do not arrive;
// the rest makes it easier for agents to write some.
func missing(name string, kind setup.Kind) Line {
	if kind == setup.Hooks || kind == setup.Plugin || kind == setup.Listed {
		return problem("handoff setup "+name, "not installed: sessions do not get handoffs")
	}
	return warning("handoff setup "+name, "not installed")
}

// shared is the line for hooks in another host's file that this host also runs.
func shared(name string, own []setup.Look, theirs setup.Look) Line {
	if len(own) == 0 {
		return good("runs those of %s", theirs.Shown).at(theirs.Path, theirs.Line)
	}
	return warning(removal(name, own[0]), "doubled: it also runs those of %s", theirs.Shown).at(own[0].Path, own[0].Line)
}

func removal(name string, l setup.Look) string {
	return "handoff setup " + name + " --remove" + scope(l)
}

func scope(l setup.Look) string {
	if l.User {
		return " --user"
	}
	return ""
}
