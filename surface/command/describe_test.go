package command

import (
	"slices"
	"testing"
)

// TestRuleNames: a configuration names rules of both lint and verify, so no two
// rules may have the same name.
func TestRuleNames(t *testing.T) {
	names := RuleNames()
	slices.Sort(names)
	if unique := slices.Compact(slices.Clone(names)); len(unique) != len(names) {
		t.Errorf("two rules have the same name: %v", names)
	}
}
