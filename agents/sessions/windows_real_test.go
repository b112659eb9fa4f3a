package sessions_test

import (
	"bytes"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handoff/agents"
	"handoff/agents/sessions"
	"handoff/agents/transcript"
	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
)

// printed runs a real agent with a model, "" for its default, and reads what it prints.
func printed(t *testing.T, name, model string) (s *transcript.Session, agent *realagents.Agent) {
	t.Helper()
	work := t.TempDir()
	server := scriptedmodel.Start(t, func(scriptedmodel.Request) scriptedmodel.Answer { return scriptedmodel.Answer{Text: "finished"} })
	agent = realagents.Prepare(t, name, work, server)
	cmd := exec.CommandContext(t.Context(), agent.Path, agent.Args...)
	cmd.Dir, cmd.Stdin = work, strings.NewReader("hello")
	cmd.Env = slices.DeleteFunc(append(cmd.Environ(), agent.Env...), func(v string) bool { return strings.HasPrefix(v, "ANTHROPIC_MODEL=") })
	if model != "" {
		cmd.Env = append(cmd.Env, "ANTHROPIC_MODEL="+model)
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", model, err, out)
	}
	s = &transcript.Session{}
	for line := range bytes.Lines(out) {
		if r, ok := transcript.Formats[builtin(t, name).Stream](line); ok {
			s.Add(r)
		}
	}
	return s, agent
}

// TestWindowsRealAgents compares the windows of the table with those that the real Claude Code prints
// for the same models. Its default models, and those that it names in short, must be in the table: a
// model that is not known gets no note until it has reported its window.
func TestWindowsRealAgents(t *testing.T) {
	table := builtin(t, "claude").Context
	models := append(slices.Sorted(maps.Keys(table.Models)), "", "opus", "sonnet", "haiku", "claude-sonnet-4-5[1m]")
	for _, model := range models {
		s, _ := printed(t, "claude", model)
		if s.Window == 0 {
			t.Errorf("model %q: it prints no window: %+v", model, s)
			continue
		}
		_, guess := table.Limit(agents.Facts{Model: s.Model})
		if guess != s.Window {
			t.Errorf("model %q: the table has %d for %s, but Claude Code prints %d: change agents/table/claude.yaml", model, guess, s.WindowOf, s.Window)
		}
	}
	if s, _ := printed(t, "claude", "claude-nova-9"); s.Window == 0 || !strings.HasPrefix(s.WindowOf, "claude-nova-9") {
		t.Errorf("a model that the table does not know: %d of %s", s.Window, s.WindowOf)
	}
}

// TestCodexReportsWindow: the table has no window for Codex, because its transcript always has it.
func TestCodexReportsWindow(t *testing.T) {
	said, agent := printed(t, "codex", "")
	getenv := func(name string) string {
		return map[string]string{"CODEX_HOME": filepath.Join(agent.Home, ".codex")}[name]
	}
	s, err := sessions.Find([]agents.Agent{builtin(t, "codex")}, sessions.Query{Session: said.ID, Getenv: getenv})
	if err != nil {
		t.Fatal(err)
	}
	if g := s.Read(0, sessions.Progress{}, getenv); g.From != "session" || g.Window == 0 || g.Limit == 0 {
		t.Errorf("%+v", g)
	}
}
