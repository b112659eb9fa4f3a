package doctor

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"handoff/agents"
	"handoff/agents/host"
)

// agent is the entry of the host that is checked, with the places of its files on the
// machine.
type agent struct {
	agents.Agent
	m *Machine
}

// path is the absolute path of a path of the entry, "" for none.
func (a agent) path(p string) string {
	return a.m.setup().Path(a.m.Root, p, a.Setup.Bases)
}

// paths are those of them that exist on any machine.
func (a agent) paths(list ...string) (all []string) {
	for _, p := range list {
		if p = a.path(p); p != "" {
			all = append(all, p)
		}
	}
	return all
}

// program is what a user types to start the host.
func (a agent) program() string {
	if len(a.Setup.Commands) > 0 {
		return a.Setup.Commands[0]
	}
	return cmp.Or(a.Program, a.Name)
}

// order is that of the checks of one host.
var order = []string{"settings", "switches", "trust", "plugin", "worktree", "instructions"}

// checks are what the entry names: what a host has switched off or does not trust. Hosts
// without such an entry have no settings for it in files.
func (a agent) checks() (all []check) {
	add := func(name string, run func(agent) []Line) {
		all = append(all, check{name, func(*Machine) []Line { return run(a) }})
	}
	files := slices.Concat(a.Doctor.Settings, a.Doctor.State)
	if files = slices.DeleteFunc(files, isTOML); len(files) > 0 { // setup reports a damaged one in TOML
		add("settings", func(a agent) []Line { return a.m.damaged(a.paths(files...)) })
	}
	if len(a.Doctor.Switches) > 0 {
		add("switches", agent.switches)
	}
	if trust, ok := trusts[a.Doctor.Trust.Form]; ok {
		add("trust", trust)
	}
	for _, name := range a.Doctor.Checks {
		if c, ok := programmed[name]; ok {
			add(c.line, c.run)
		}
	}
	slices.SortStableFunc(all, func(x, y check) int {
		return cmp.Compare(slices.Index(order, x.name), slices.Index(order, y.name))
	})
	return all
}

func isTOML(path string) bool { return filepath.Ext(path) == ".toml" }

// trusts are the forms in which hosts record that the user trusts a folder.
var trusts = map[string]func(agent) []Line{"projects": trustOfProjects, "hashes": trustOfHashes, "list": trustOfList, "folders": trustOfFolders}

// programmed are the checks that data cannot describe, by the name in the table.
var programmed = map[string]struct {
	line string // the name in the output
	run  func(agent) []Line
}{
	"features":     {"switches", features},
	"plugin":       {"plugin", listedPlugin},
	"worktree":     {"worktree", worktree},
	"instructions": {"instructions", instructions},
}

// switches reports what is switched off.
func (a agent) switches() (lines []Line) {
	for _, s := range a.Doctor.Switches {
		lines = append(lines, a.off(s)...)
	}
	if len(lines) == 0 && a.Doctor.On != "" {
		return []Line{good("%s", a.Doctor.On)}
	}
	return lines
}

// off are the lines of one switch, none if it is on.
func (a agent) off(s agents.Switch) []Line {
	files := a.paths(s.Files...)
	if len(s.Files) == 0 {
		files = a.paths(a.Doctor.Settings...)
	}
	switch {
	case s.Env != "":
		return a.offInEnvironment(s)
	case s.Lists:
		return a.listed(s, files)
	case s.With != "":
		return a.lacking(s, files)
	}
	p, ok := a.m.first(files, s.Path...)
	if !ok || !p.is(s.Off) {
		return nil
	}
	fix := "change it to true"
	if s.Off == "true" {
		fix = "remove the line"
	}
	return []Line{offLine(s, fix, fmt.Sprintf("%q is %s", strings.Join(s.Path, "."), s.Off)).at(p.file, p.Line())}
}

// offLine is the line of a switch that is off.
func offLine(s agents.Switch, fix, what string) Line {
	l := problem(cmp.Or(s.Fix, fix), "%s: %s", what, cmp.Or(s.Effect, "no hook runs"))
	if s.State == string(Warning) {
		l.State = Warning
	}
	return l
}

func (a agent) offInEnvironment(s agents.Switch) []Line {
	if v := a.m.Getenv(s.Env); v == "" || v == "0" || v == "false" {
		return nil
	}
	return []Line{offLine(s, "unset "+s.Env, s.Env+" is set")}
}

// listed finds hooks of handoff in a list of those that are off.
func (a agent) listed(s agents.Switch, files []string) []Line {
	for _, file := range files {
		p, _ := a.m.first([]string{file}, s.Path...)
		for i := range p.Len() {
			if _, name := p.At(i); name.Text() == "handoff" || host.IsCommand(name.Text()) {
				s.Effect = cmp.Or(s.Effect, "these hooks do not run")
				return []Line{offLine(s, "remove it from the list", fmt.Sprintf("%q has %s", strings.Join(s.Path, "."), name.Text())).at(file, name.Line())}
			}
		}
	}
	return nil
}

// lacking finds files without a value that they need.
func (a agent) lacking(s agents.Switch, files []string) (lines []Line) {
	for _, file := range files {
		beside, ok := a.m.first([]string{file}, s.With)
		if !ok {
			continue
		}
		if v, ok := a.m.first([]string{file}, s.Path...); !ok || !v.is(s.Must) {
			want := fmt.Sprintf("%q: %s", strings.Join(s.Path, "."), s.Must)
			lines = append(lines, offLine(s, "add "+want, "the file has no "+want).at(file, beside.Line()))
		}
	}
	return lines
}
