package setup

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"handoff/agents/setup/edit"
	"handoff/internal/file/regular"
)

// double returns the reason not to install a part: it is already installed elsewhere,
// and a host that read both would run each hook twice. The reason names that place.
// The error is for hooks that would make those of another host run twice.
func (p *planner) double(prog program, it part, at place) (why string, err error) {
	if where := p.byPlugin(prog); where != "" {
		return "the plugin of handoff is installed, see " + where + "; it wins", nil
	}
	if where := p.inAnother(it, at); where != "" {
		return where + " has it and is read here, too; that file wins", nil
	}
	if it.kind != Hooks {
		return "", nil
	}
	for _, other := range p.programs {
		if slices.Contains(prog.shares, other.name) {
			if where := p.has(other, Hooks); where != "" {
				return fmt.Sprintf("%s has the hooks, and %s runs those, too; that file wins", where, prog.name), nil
			}
		}
		if slices.Contains(other.shares, prog.name) {
			if err := p.refuse(prog, it, other, at); err != nil {
				return "", err
			}
		}
	}
	return "", nil
}

// refuse is the error for hooks that another program would run beside its own.
func (p *planner) refuse(prog program, mine part, other program, at place) error {
	if s, err := p.file(at); err != nil || edit.Has(mine.edit, s.After) {
		return err
	}
	where := p.has(other, Hooks)
	if where == "" {
		return nil
	}
	owners := p.owners(where)
	if len(owners) == 0 {
		owners = []string{other.name} // no other host keeps the file
	}
	names := strings.Join(owners, " ")
	return fmt.Errorf("%s has hooks of handoff, and %s runs those of %s, too: each would run twice, so nothing was changed. "+
		"Run `handoff setup %s --remove%s`, then `handoff setup %s %s%s`: %[3]s wins", where, owners[0], at.shown,
		names, scope(strings.HasPrefix(where, "~")), prog.name, names, scope(p.User))
}

// owners are the hosts that are installed with the hooks in a file. Hosts may share
// that file, but each has an MCP server in another one.
func (p *planner) owners(where string) (names []string) {
	for _, prog := range p.programs {
		if p.has(prog, Hooks) == where && p.has(prog, Server) != "" {
			names = append(names, prog.name)
		}
	}
	return names
}

func scope(user bool) string {
	if user {
		return " --user"
	}
	return ""
}

// inAnother is the other file in which a host already has a part, "" for none: the
// user's file if the part is for a project, and the project's if it is for the user.
func (p *planner) inAnother(it part, at place) string {
	for _, path := range it.paths() {
		if other, ok := p.Machine.at(p.Project, path); ok && other.path != at.path && p.installed(it, other) {
			return other.shown
		}
	}
	return ""
}

// inScopes is the file in which a part of a kind is installed, in any scope.
func (p *planner) inScopes(it part, kind Kind) string {
	if it.kind != kind {
		return ""
	}
	for _, path := range it.paths() {
		if at, ok := p.Machine.at(p.Project, path); ok && p.installed(it, at) {
			return at.shown
		}
	}
	return ""
}

// hasHere reports whether a program has a part of a kind in the scope of the request.
func (p *planner) hasHere(prog program, kind Kind) bool {
	return slices.ContainsFunc(prog.parts, func(it part) bool {
		at, ok := p.place(it)
		return ok && it.kind == kind && !it.former && p.installed(it, at)
	})
}

// has is the file in which a program has a part of a kind, in any scope, "" for none.
func (p *planner) has(prog program, kind Kind) string {
	for _, it := range prog.parts {
		if where := p.inScopes(it, kind); where != "" {
			return where
		}
	}
	return ""
}

func (it part) paths() []string {
	return []string{it.project, it.user, it.also, it.or[0], it.or[1]}
}

// installed reports whether a part is in a file, as planned so far.
func (p *planner) installed(it part, at place) bool {
	s := p.files[at.path]
	if s == nil {
		t, err := read(at)
		if err != nil {
			return false // if it is to be written, that is an error
		}
		s = &Step{After: t}
	}
	return edit.Has(it.edit, s.After)
}

// byPlugin is the file or folder that shows that a program has handoff's plugin.
func (p *planner) byPlugin(prog program) string {
	for _, sign := range prog.plugins {
		at, ok := p.Machine.at(p.Project, sign.Path)
		if !ok {
			continue
		}
		if sign.Member == "" {
			if found, _ := filepath.Glob(at.path); len(found) > 0 {
				return at.shown
			}
			continue
		}
		if t, err := read(at); err == nil && edit.Enables(t.Bytes, strings.HasSuffix(at.path, ".toml"), sign.Member) {
			return at.shown
		}
	}
	return ""
}

// user is another installed program that still needs a part about to be removed, ""
// for none: it reads the same file and is installed in a file of its own.
func (p *planner) user(it part, at place) string {
	removed := map[string]bool{}
	for _, prog := range p.chosen {
		for _, theirs := range prog.parts {
			if at, ok := p.place(theirs); ok {
				removed[at.path] = true
			}
		}
	}
	for _, other := range p.programs {
		if slices.ContainsFunc(p.chosen, func(c program) bool { return c.name == other.name }) || !p.shares(other, it, at) {
			continue
		}
		for _, theirs := range other.parts {
			own, ok := p.place(theirs)
			if ok && !removed[own.path] && (theirs.kind == Hooks || p.only(other, own)) && p.installed(theirs, own) {
				return other.name
			}
		}
	}
	return ""
}

// shares reports whether a program has the same part in the same file.
func (p *planner) shares(other program, it part, at place) bool {
	return slices.ContainsFunc(other.parts, func(theirs part) bool {
		same, ok := p.place(theirs)
		return ok && theirs.kind == it.kind && same.path == at.path
	})
}

// only reports whether no other program reads a file.
func (p *planner) only(prog program, at place) bool {
	return !slices.ContainsFunc(p.programs, func(other program) bool {
		return other.name != prog.name && slices.ContainsFunc(other.parts, func(theirs part) bool {
			same, ok := p.place(theirs)
			return ok && same.path == at.path
		})
	})
}

// evidence is what shows that a host is installed, "" for nothing.
func (p *planner) evidence(prog program) string {
	for _, name := range prog.commands {
		if _, err := p.Machine.LookPath(name); err == nil {
			return name + " is on PATH"
		}
	}
	for _, folder := range prog.folders {
		if at, ok := p.Machine.at(p.Project, folder); ok && regular.KindOf(at.path) == regular.Dir {
			return strings.TrimSuffix(at.shown, "/") + "/ exists"
		}
	}
	return ""
}
