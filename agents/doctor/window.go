package doctor

import (
	"cmp"
	"fmt"

	"handoff/agents"
	"handoff/agents/sessions"
	"handoff/agents/windows"
	"handoff/internal/text/say"
)

// windowFrom says from where a window is known.
var windowFrom = map[string]string{
	string(windows.Session): "as its last session here reported",
	string(windows.Host):    "as it last reported",
	string(windows.Table):   "by the table of agents, until it reports one",
}

// window checks whether the gauge knows how much the model of the host's last session in the project
// holds. Without that it notes nothing, and a relay interrupts nobody: a window that is guessed
// too small costs more than none.
func (m *Machine) window(name string) []Line {
	if err := windows.Check(m.Getenv); err != nil {
		return []Line{warning("delete the file", "the windows that hosts reported are not known: %v", err)}
	}
	a, ok := sessions.One(m.Root, name)
	if !ok {
		return nil
	}
	s, err := sessions.Find([]agents.Agent{a}, sessions.Query{Dirs: []string{m.Root}, Getenv: m.Getenv})
	if err != nil || s.File.Session.Used == 0 {
		return nil // no session that it could be known of
	}
	g, model := s.Read(0, sessions.Progress{}, m.Getenv), cmp.Or(s.File.Session.Model, "its model")
	if g.Window == 0 && g.Limit == 0 {
		fix := fmt.Sprintf("context: {windows: [TOKENS]} in %s/%s.yaml; a status line with `handoff statusline` reports it, too", sessions.Overrides, name)
		return []Line{warning(fix, "the window of %s is not known, so no note says when few tokens are left", model)}
	}
	if g.Window == 0 {
		return nil
	}
	return []Line{good("%s tokens for %s, %s", say.Number(g.Window), model, windowFrom[g.From])}
}
