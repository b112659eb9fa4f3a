package rules

import (
	"slices"
	"testing"
)

// TestStagedNames: a rule that was renamed would silently no longer run.
func TestStagedNames(t *testing.T) {
	for name := range staged {
		if i := slices.IndexFunc(All, func(r *Rule) bool { return r.Name == name }); i < 0 || All[i].Check == nil {
			t.Errorf("%s is not a rule that runs here", name)
		}
	}
}
