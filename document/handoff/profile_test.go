package handoff

import "testing"

func TestSaysDone(t *testing.T) {
	for text, want := range map[string]bool{
		"COMPLETED": true, "[COMPLETED]": true, "Phase 4 (complete)": true, "Phase 6 Completion Handoff": true, "100% complete": true,
		"COMPLETED for its own scope, one criterion unmet": true, "4 of 4 complete": true,
		"✅ Done": true, "Phase 6 COMPLETED. It compiles": true,
		"":                                       false,
		"INCOMPLETE":                             false,
		"not complete":                           false,
		"not yet complete":                       false,
		"PARTIAL: Phase 2 complete":              false,
		"Phase 2 completed, Phase 3 in progress": false,
		"75% complete":                           false,
		"steps to complete":                      false,
		"Phase 5 Completeness Analysis":          false,
		"weak_completeness":                      false,
		"partially completed":                    false,
		"what was done":                          false,
		"COMPLETED except one proof":             false,
		"Completed, two proofs remain":           false,
		"Phase 2 complete but blocked":           false,
		"Analysis complete, ready for phase 3":   false,
	} {
		if got := saysDone(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
