package setup

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"handoff/agents"
	"handoff/agents/host"
	"handoff/agents/setup/edit"
	"handoff/document/handoff"
	"handoff/internal/file/regular"
)

// planner makes a plan: it collects the edits of each file.
type planner struct {
	Request
	programs []program // all
	chosen   []program
	plan     *Plan
	files    map[string]*Step // by their absolute path
}

func newPlanner(req Request) (*planner, error) {
	p := &planner{Request: req, plan: &Plan{request: req}, files: map[string]*Step{}}
	table, err := req.Table, error(nil)
	if table == nil || req.User {
		table, err = Builtin()
	}
	p.plan.table = table
	if err == nil {
		p.programs, p.Machine.bases, err = programs(table)
	}
	return p, err
}

// check returns the error for a name that no program has: of an agent that can only be started, or of none. It suggests one.
func (p *planner) check(name string) error {
	names := p.names()
	if slices.Contains(names, name) {
		return nil
	}
	if slices.ContainsFunc(p.plan.table, func(a agents.Agent) bool { return a.Name == name }) {
		return fmt.Errorf("%w: %s has no hooks or settings that are known: `handoff agents %s` shows how it is started", handoff.ErrInvalid, name, name)
	}
	return host.Unknown(name, names)
}

// names are those of all programs, sorted.
func (p *planner) names() (names []string) {
	for _, prog := range p.programs {
		names = append(names, prog.name)
	}
	slices.Sort(names)
	return names
}

// choose finds the programs of the request.
func (p *planner) choose() error {
	for _, name := range p.Hosts {
		if err := p.check(name); err != nil {
			return err
		}
	}
	for _, prog := range p.programs {
		why := "named"
		switch {
		case len(p.Hosts) == 0 && !p.Remove:
			if why = p.evidence(prog); why != "" {
				p.plan.Found = append(p.plan.Found, Found{prog.name, why})
			}
		case len(p.Hosts) > 0 && !slices.Contains(p.Hosts, prog.name):
			why = ""
		}
		if why != "" {
			p.chosen = append(p.chosen, prog)
		}
	}
	if len(p.chosen) == 0 {
		return fmt.Errorf("%w: no agent found on this machine or in this project: name one of %s", handoff.ErrInvalid, strings.Join(p.names(), ", "))
	}
	return nil
}

// program plans all parts of one program. They are removed in the reverse order, so
// that each file goes back through the states that it had.
func (p *planner) program(prog program) error {
	parts := slices.Clone(prog.parts)
	if p.Remove {
		slices.Reverse(parts)
	}
	changed := false
	for _, it := range parts {
		at, ok := p.place(it)
		if !ok {
			continue
		}
		do := p.install
		if p.Remove || it.former {
			do = p.remove
		}
		did, err := do(prog, it, at)
		if err != nil {
			return err
		}
		changed = changed || did
	}
	if changed && !p.Remove {
		next := prog.name + ": " + prog.next
		if !p.User && regular.KindOf(filepath.Join(p.Project, ".git")) == regular.File {
			next += prog.inWorktree
		}
		p.plan.Next = append(p.plan.Next, next)
	}
	return nil
}

// place is the file of a part in the scope of the request.
func (p *planner) place(it part) (place, bool) {
	path, or := it.project, it.or[0]
	if p.User {
		path, or = it.user, it.or[1]
	}
	if at, ok := p.Machine.at(p.Project, or); ok {
		if t, err := read(at); err == nil && t.Exists {
			return at, true
		}
	}
	return p.Machine.at(p.Project, path)
}

func (p *planner) install(prog program, it part, at place) (bool, error) {
	elsewhere, err := p.double(prog, it, at)
	if err != nil {
		return false, err
	}
	if it.kind == Listed && !p.hasHere(prog, Plugin) {
		return false, nil // what keeps the plugin out was said
	}
	if elsewhere != "" {
		p.note(Skipped, prog, it, at, elsewhere)
		return false, nil
	}
	return p.edit(prog, it, at, it.edit.Add)
}

func (p *planner) remove(prog program, it part, at place) (bool, error) {
	if _, err := p.file(at); errors.Is(err, regular.ErrNotRegular) {
		return false, nil // nothing was ever written there
	}
	if other := p.user(it, at); other != "" {
		if s, err := p.file(at); err == nil && edit.Has(it.edit, s.After) {
			p.note(Left, prog, it, at, other+" uses it")
		}
		return false, nil
	}
	return p.edit(prog, it, at, it.edit.Cut)
}

// edit makes one edit of a file.
func (p *planner) edit(prog program, it part, at place, do func(edit.Text) (edit.Text, string, error)) (bool, error) {
	s, err := p.file(at)
	if err != nil {
		return false, err
	}
	after, why, err := do(s.After)
	if err != nil {
		return false, fmt.Errorf("%s: %w (nothing was changed)", locate(at.shown, err), hint(err))
	}
	if why != "" {
		p.note(Left, prog, it, at, why)
		return false, nil
	}
	changed := after != s.After
	s.After = after
	if changed || !p.Remove && !it.former {
		s.of(prog, it)
	}
	return changed, nil
}

// of records that a step is about a part of a program.
func (s *Step) of(prog program, it part) {
	if !slices.Contains(s.Hosts, prog.name) {
		s.Hosts = append(s.Hosts, prog.name)
	}
	if !slices.Contains(s.Parts, it.kind) {
		s.Parts = append(s.Parts, it.kind)
	}
}

// note adds a step for a file that is not changed.
func (p *planner) note(verb Verb, prog program, it part, at place, why string) {
	for _, s := range p.plan.Steps {
		if s.Verb == verb && s.Path == at.shown && s.Why == why {
			s.of(prog, it)
			return
		}
	}
	s := &Step{Verb: verb, Path: at.shown, Why: why, place: at}
	s.of(prog, it)
	p.plan.Steps = append(p.plan.Steps, s)
}

// file is the step for a file, which is read once.
func (p *planner) file(at place) (*Step, error) {
	if s := p.files[at.path]; s != nil {
		return s, nil
	}
	t, err := read(at)
	if err != nil {
		return nil, err
	}
	s := &Step{Path: at.shown, place: at, Before: t, After: t}
	p.files[at.path] = s
	p.plan.Steps = append(p.plan.Steps, s)
	return s, nil
}

// finish decides what happens to each file, and drops those that were only read.
func (p *planner) finish() error {
	var errs []error
	p.plan.Steps = slices.DeleteFunc(p.plan.Steps, func(s *Step) bool {
		switch {
		case s.Verb != "":
		case len(s.Parts) == 0:
			return true
		case !s.Changes():
			s.Verb = Kept
		case !s.Before.Exists:
			s.Verb = Created
		case !s.After.Exists:
			s.Verb = Removed
		default:
			s.Verb = Changed
		}
		if s.Changes() {
			errs = append(errs, writable(s))
		}
		return false
	})
	slices.SortStableFunc(p.plan.Steps, func(a, b *Step) int { return cmp.Compare(order(a), order(b)) })
	return errors.Join(errs...)
}

// order moves what was not done to the end.
func order(s *Step) int {
	return slices.Index([]Verb{Created, Changed, Removed, Kept, Skipped, Left}, s.Verb)
}
