package githook

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"handoff/internal/text/shellword"
)

// State is whether git checks the handoffs of a commit.
type State struct {
	Good bool
	What string
	File string // absolute
	Fix  string // what to type; "" if Good
}

// install is what adds or updates the check.
const install = "handoff init --git-hook"

// Look finds out whether the check is where git runs it. ok is false outside of a
// repository.
func Look(ctx context.Context, root string) (s State, ok bool) {
	r, err := open(ctx, root)
	if off := offError(""); errors.As(err, &off) {
		return State{Good: true, What: "none checks handoffs: " + off.Error()}, true
	}
	if err != nil {
		return s, false
	}
	targets := r.targets()
	if s, ok = r.stray(targets[0].owner); ok {
		return s, true
	}
	found := 0
	for _, t := range targets {
		src, err := read(t.file)
		if err != nil {
			continue
		}
		switch _, old, _ := cut(src); {
		case old == "" && !calls(src):
			continue
		case t.name != "" && t.owner != husky && !executable(t.file):
			return State{What: "is not executable, so git does not run it", File: t.file, Fix: "chmod +x " + shellword.Quote(t.file)}, true
		case old != "" && t.outdated(src):
			return State{What: "is of another version of handoff, or was changed", File: t.file, Fix: install}, true
		}
		found++
	}
	switch {
	case found == 0 && r.remembers():
		return State{What: "was added in this clone and is gone: commits are not checked", File: targets[0].file, Fix: install}, true
	case found == 0:
		return State{Good: true, What: "none checks handoffs (`" + install + "` adds one)"}, true
	case found < len(targets):
		return State{What: "does not check merges: git runs another hook for them", File: targets[0].file, Fix: install}, true
	}
	return r.active(targets[0]), true
}

// outdated reports whether our part of a file is not what would be added now.
func (t target) outdated(src string) bool {
	c := change{old: src, file: t.file}
	if t.name != "" {
		_, old, _ := cut(src)
		return old != block
	}
	return t.addToConfig(&c) != nil || c.new != src
}

// stray finds our block in a script that git does not run, or that its owner writes again.
func (r *repo) stray(o *owner) (s State, ok bool) {
	for _, file := range r.strays() {
		src, err := read(file)
		if _, old, _ := cut(src); err != nil || old == "" || !slices.Contains(names[:], filepath.Base(file)) {
			continue
		}
		s = State{What: "is in a file that " + o.name + " generates, and gone when it does so again", File: file, Fix: install}
		if dir := filepath.Dir(file); !same(dir, r.hooks) && (same(dir, r.own) || o == gitItself) {
			s.What = "is in a file that git does not run, because core.hooksPath leads to " + r.hooks
		}
		return s, true
	}
	return s, false
}

// active is the state of a check that is where its owner reads it.
func (r *repo) active(t target) State {
	switch run := r.runs(t); {
	case run[0] && !run[1]:
		s := State{What: "checks commits, and no merges: " + t.owner.name + " has no hook " + names[1] + " in this clone", File: t.file, Fix: t.owner.install}
		if src, err := read(t.file); err == nil && !strings.Contains(src, names[1]) && t.owner == lefthook {
			s.Fix = "add the command to a part " + names[1] + ", as in " + names[0] + ", then " + s.Fix
		}
		return s
	case !run[0]:
		return State{What: t.owner.name + " does not run in this clone, and with it the check", File: t.file, Fix: t.owner.install}
	case t.owner == gitItself:
		return State{Good: true, What: "checks commits and merges", File: t.file}
	}
	return State{Good: true, What: "checks commits and merges, run by " + t.owner.name, File: t.file}
}

// runs reports which hooks of the owner git runs, in the order of names: it must have told git so in each clone.
func (r *repo) runs(t target) (run [len(names)]bool) {
	for i, name := range names {
		switch t.owner {
		case husky:
			run[i] = filepath.Base(r.hooks) == "_" && same(filepath.Dir(r.hooks), filepath.Dir(t.file))
		case lefthook, preCommit:
			src, err := read(filepath.Join(r.hooks, name))
			run[i] = err == nil && (strings.Contains(src, t.owner.mark) || strings.Contains(src, t.owner.name))
		default:
			run[i] = true
		}
	}
	return run
}
