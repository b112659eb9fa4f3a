package agents_test

import (
	"slices"
	"testing"

	"handoff/agents"
)

func TestLevelOf(t *testing.T) {
	for value, want := range map[string]struct {
		level  agents.Level
		starts bool
	}{
		"": {agents.All, false}, "read": {agents.ReadOnly, false}, "edit": {agents.Edit, false}, "all": {agents.All, false},
		"acp:edit": {agents.Edit, true}, "acp:": {agents.ReadOnly, true}, "root": {agents.ReadOnly, false}, "ALL": {agents.ReadOnly, false}, " all": {agents.ReadOnly, false},
	} {
		if level, starts := agents.LevelOf(value); level != want.level || starts != want.starts {
			t.Errorf("%q: %s, %v, want %v", value, level, starts, want)
		}
	}
	if got := agents.Lowest(agents.All, agents.Edit) + agents.Lowest(agents.ReadOnly, agents.Edit) + agents.Lowest(agents.All, "?"); got != "editreadread" {
		t.Error(got)
	}
}

// Variables of the caller do not reach the agent, but for those that an entry leaves to it.
func TestEnviron(t *testing.T) {
	a := agents.Agent{Permissions: agents.Permissions{Env: agents.Env{"edit": {"RULES": "ask", "MORE?": "ours", "OTHER?": "ours"}}}}
	env := []string{"PATH=/bin", "HANDOFF_LEVEL=all", "HANDOFF_ROOT=/", "RULES=none", "MORE=theirs"}
	want := []string{"PATH=/bin", "MORE=theirs", "HANDOFF_LEVEL=edit", "HANDOFF_ROOT=/w", "OTHER=ours", "RULES=ask"}
	if got := a.Environ(env, agents.Call{}, "/w"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := a.Environ(env, agents.Call{Level: agents.All}, "/w"); !slices.Contains(got, "RULES=none") || !slices.Contains(got, "HANDOFF_LEVEL=all") {
		t.Errorf("at all: %q", got)
	}
	over, err := a.OverACP("/bin/handoff")
	if err != nil {
		t.Fatal(err)
	}
	if got := over.Environ(env, agents.Call{Level: agents.ReadOnly}, "/w"); !slices.Contains(got, "HANDOFF_LEVEL=acp:read") {
		t.Errorf("over ACP: %q", got)
	}
}
