// Package doctor finds why an agent does not get its handoffs: the parts from setup are
// missing, duplicated or from another version, or the agent's program has hooks switched
// off or does not trust the folder.
//
// It reads files, all of them settings of other programs, and changes nothing. It
// does not know whether an agent really ran a hook.
package doctor

import (
	"fmt"
	"slices"

	"handoff/agents"
	"handoff/agents/setup"
)

// State is how good a line is.
type State string

// The states.
const (
	OK      State = "ok"
	Warning State = "warning" // it works, but perhaps not as intended
	Problem State = "problem" // handoffs do not arrive
)

// Line is the result of one check.
type Line struct {
	Host  string `json:"host,omitempty"` // "" for the machine and the workspace
	Check string `json:"check"`
	State State  `json:"state"`
	What  string `json:"what"`
	File  string `json:"file,omitempty"` // absolute
	Line  int    `json:"line,omitempty"` // of the file, from 1
	Fix   string `json:"fix,omitempty"`  // what to do; always there for a problem
}

// check is one check of a host. Its lines get its name and the host's.
type check struct {
	name string
	run  func(*Machine) []Line
}

// Binary checks the program itself. Then come the hosts: see [Host].
func Binary(m *Machine) []Line {
	return named("", []check{{"binary", binary}}, m)
}

// Host checks a host. With asked, the user named it, so it is a problem if nothing is
// installed. Without, it has no lines if it is not on the machine.
func Host(m *Machine, name string, asked bool) ([]Line, error) {
	survey, err := setup.Find(m.setup(), m.Table, m.Root, name)
	if err != nil {
		return nil, err
	}
	a, err := m.agent(name)
	if err == nil {
		survey, err = a.hooksThere(survey)
	}
	if err != nil {
		return nil, err
	}
	var lines []Line
	switch {
	case isSetUp(survey, asked):
		lines = a.inCheckout(installed(a, survey))
		reported := lines
		for _, l := range named(name, a.checks(), m) {
			if l.Check != "settings" || !slices.ContainsFunc(reported, func(r Line) bool { return r.File == l.File && r.State == Problem }) {
				lines = append(lines, l)
			}
		}
	case asked:
		lines = []Line{problem("handoff setup "+name, "handoff is not set up for it in this project, nor for all")}
	case survey.Evidence != "":
		lines = []Line{warning("handoff setup "+name, "not set up, but %s", survey.Evidence)}
	default:
		return nil, nil
	}
	for _, l := range m.window(name) {
		l.Check = "window"
		lines = append(lines, l)
	}
	for i := range lines {
		lines[i].Host = name
		if lines[i].Check == "" {
			lines[i].Check = "setup"
		}
	}
	return lines, nil
}

func named(name string, checks []check, m *Machine) (lines []Line) {
	for _, c := range checks {
		for _, l := range c.run(m) {
			l.Host, l.Check = name, c.name
			lines = append(lines, l)
		}
	}
	return lines
}

// agent is the entry of a host in the table.
func (m *Machine) agent(name string) (agent, error) {
	for _, a := range m.Table {
		if a.Name == name {
			return agent{a, m}, nil
		}
	}
	a, err := agents.Builtin(name)
	return agent{a, m}, err
}

func good(format string, a ...any) Line {
	return Line{State: OK, What: fmt.Sprintf(format, a...)}
}

func warning(fix, format string, a ...any) Line {
	return Line{State: Warning, What: fmt.Sprintf(format, a...), Fix: fix}
}

func problem(fix, format string, a ...any) Line {
	return Line{State: Problem, What: fmt.Sprintf(format, a...), Fix: fix}
}

// at adds the place in a file; line 0 is unknown.
func (l Line) at(file string, line int) Line {
	l.File, l.Line = file, line
	return l
}

// Result is what `handoff doctor --json` prints: see docs/schema/doctor.schema.json.
type Result struct {
	State State  `json:"state"` // the worst of the lines
	Lines []Line `json:"lines"`
}

// Sum adds the worst state to the lines.
func Sum(lines []Line) Result { return Result{worst(lines), lines} }

func worst(lines []Line) State {
	worst := OK
	for _, l := range lines {
		if l.State == Problem || worst == OK {
			worst = l.State
		}
	}
	return worst
}
