package doctor

import (
	"path/filepath"
	"slices"
	"strings"

	"handoff/agents/setup"
	"handoff/internal/text/shellword"
)

// mainCheckout is the checkout whose hooks some hosts read: in a linked worktree, the main
// one.
func (m *Machine) mainCheckout() string {
	text, _, _ := m.read(m.project(".git"))
	dir, ok := strings.CutPrefix(strings.TrimSpace(text), "gitdir: ")
	git, _, linked := strings.Cut(filepath.ToSlash(dir), "/worktrees/")
	if !ok || !linked {
		return m.Root
	}
	return filepath.Dir(filepath.FromSlash(git))
}

// hooksThere replaces the hooks in a survey by those that the host reads, if these are in the
// main checkout.
func (a agent) hooksThere(s setup.Survey) (setup.Survey, error) {
	m := a.m
	checkout := m.mainCheckout()
	if checkout == m.Root || a.Setup.InWorktree == "" {
		return s, nil
	}
	there, err := setup.Find(m.setup(), m.Table, checkout, a.Name)
	isHook := func(l setup.Look) bool { return l.Kind == setup.Hooks }
	s.Looks = append(slices.DeleteFunc(s.Looks, isHook), slices.DeleteFunc(there.Looks, func(l setup.Look) bool { return !isHook(l) })...)
	return s, err
}

// inCheckout has the commands for hooks run in the checkout whose hooks the host reads:
// in a linked worktree they would change a file that it does not read.
func (a agent) inCheckout(lines []Line) []Line {
	m := a.m
	checkout := m.mainCheckout()
	for i, l := range lines {
		if checkout != m.Root && a.Setup.InWorktree != "" && l.Check == string(setup.Hooks) && !strings.HasSuffix(l.Fix, " --user") {
			lines[i].Fix = strings.Replace(l.Fix, "handoff setup "+a.Name, "cd "+shellword.Quote(checkout)+" && handoff setup "+a.Name, 1)
		}
	}
	return lines
}

// worktree explains where the hooks of a linked worktree have to be.
func worktree(a agent) []Line {
	m := a.m
	checkout := m.mainCheckout()
	if checkout == m.Root {
		return nil
	}
	return []Line{good("a linked worktree: Codex reads the hooks of %s", checkout).at(filepath.Join(checkout, ".codex", "hooks.json"), 0)}
}
