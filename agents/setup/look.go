package setup

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"handoff/agents"
	"handoff/agents/setup/edit"
	"handoff/agents/skill"
	"handoff/internal/json/jsonsplice"
)

// Presence is how much of a part a file has.
type Presence string

// The presences.
const (
	Missing Presence = "missing"
	Current Presence = "current" // also if the user wrote it in other words
	Older   Presence = "older"   // of another version, or incomplete
	Foreign Presence = "foreign" // something else is in its place; Why has what
	Broken  Presence = "broken"  // the file cannot be read; Why has the error
)

// Look is a file and how much of a part it has.
type Look struct {
	Kind  Kind
	Path  string // absolute
	Shown string // below the project, or from ~
	User  bool   // for all projects of the user
	Own   bool   // no other host reads the file
	State Presence
	Why   string
	Line  int // where the part begins, or the file is damaged; from 1, 0 if unknown
}

// Has reports whether the program that reads the file gets the part.
func (l Look) Has() bool { return l.State == Current || l.State == Older }

// Survey is what is installed for a host.
type Survey struct {
	Evidence string   // what shows that the host is on this machine, "" for nothing
	Plugin   string   // the file or folder with handoff's plugin for the host, "" for none
	Folders  []string // of that plugin, absolute, where its place is known
	Looks    []Look
	Shared   []Look // files with the hooks of other hosts, which this one runs, too
}

// Find surveys a host of a table; nil is the built-in one. It changes nothing. A damaged file is
// a [Broken] look.
func Find(m Machine, table []agents.Agent, project, name string) (s Survey, err error) {
	p, err := newPlanner(Request{Project: project, Machine: m, Table: table})
	if err == nil {
		err = p.check(name)
	}
	if err != nil {
		return s, err
	}
	for _, prog := range p.programs {
		if prog.name == name {
			s.Evidence, s.Plugin, s.Folders, s.Looks = p.evidence(prog), p.byPlugin(prog), p.folders(prog), p.looks(prog)
			for _, other := range p.programs {
				if slices.Contains(prog.shares, other.name) {
					s.Shared = append(s.Shared, slices.DeleteFunc(p.looks(other), func(l Look) bool { return l.Kind != Hooks || !l.Has() })...)
				}
			}
		}
	}
	return s, nil
}

// folders are those that show that a program has handoff's plugin.
func (p *planner) folders(prog program) (all []string) {
	for _, sign := range prog.plugins {
		if at, ok := p.Machine.at(p.Project, sign.Path); ok && sign.Member == "" {
			found, _ := filepath.Glob(at.path) // the patterns are well formed
			all = append(all, found...)
		}
	}
	return all
}

// looks looks at all files that may have a part of a program.
func (p *planner) looks(prog program) (looks []Look) {
	for _, it := range prog.parts {
		seen := map[string]bool{}
		for _, path := range it.paths() {
			at, ok := p.Machine.at(p.Project, path)
			if !ok || seen[at.path] {
				continue
			}
			seen[at.path] = true
			l := look(it, at)
			l.User, l.Own = strings.Contains(path, ":"), p.isOwn(prog, at)
			switch {
			case it.former && !l.Has(), it.kind == Listed && l.State == Missing && !p.hasHere(prog, Plugin):
				continue
			case it.former:
				l.State = Older
			}
			looks = append(looks, l)
		}
	}
	return looks
}

// isOwn reports whether only one program has parts in a file.
func (p *planner) isOwn(prog program, at place) bool {
	return !slices.ContainsFunc(p.programs, func(other program) bool {
		return other.name != prog.name && slices.ContainsFunc(other.parts, func(theirs part) bool {
			return slices.ContainsFunc(theirs.paths(), func(path string) bool {
				same, ok := p.Machine.at(p.Project, path)
				return ok && same.path == at.path
			})
		})
	})
}

func look(it part, at place) Look {
	l := Look{Kind: it.kind, Path: at.path, Shown: at.shown, State: Missing}
	t, err := read(at)
	if err == nil && !t.Exists {
		return l
	}
	had := err == nil && edit.Has(it.edit, t)
	after := t
	if err == nil {
		after, l.Why, err = it.edit.Add(t)
	}
	switch {
	case err != nil:
		l.State, l.Why = Broken, err.Error()
		if syntax := (*jsonsplice.Error)(nil); errors.As(err, &syntax) {
			l.Why, l.Line = syntax.Text, syntax.Line
		}
	case l.Why != "":
		l.State = Foreign
	case after == t:
		l.State = Current
	case had:
		l.State = Older
	}
	if l.State != Missing && l.State != Broken {
		l.Line = lineOf(t, it)
	}
	return l
}

// lineOf is the line where a part begins in a text, 0 if that is not known.
func lineOf(t edit.Text, it part) int {
	if server, ok := it.edit.(edit.Server); ok { // its file may have hooks, too
		return server.Line(t)
	}
	mark := map[Kind]string{Hooks: "handoff hook ", Server: "handoff", Rules: skill.BlockBegin}[it.kind]
	if mark == "" {
		return 1 // a file of its own
	}
	before, _, ok := strings.Cut(t.Bytes, mark)
	if !ok {
		return 0
	}
	return 1 + strings.Count(before, "\n")
}
