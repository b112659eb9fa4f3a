package main

import (
	"slices"
	"testing"

	"handoff/workspace"
)

// TestRuleNames: a configuration names the rules of lint and of verify alike,
// so that no name may mean two.
func TestRuleNames(t *testing.T) {
	names := (&world{}).options().RuleNames()
	slices.Sort(names)
	if unique := slices.Compact(slices.Clone(names)); len(unique) != len(names) {
		t.Errorf("a name stands for two rules: %v", names)
	}
	for _, r := range workspace.MetaRules() {
		if r.Summary == "" || r.Doc == "" || r.Severity == 0 {
			t.Errorf("%s explains nothing: %+v", r.Name, r)
		}
	}
}
