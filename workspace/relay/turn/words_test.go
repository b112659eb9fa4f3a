package turn

import (
	"testing"

	"handoff/internal/testing/frametest"
	"handoff/workspace/relay/chain"
)

// TestNamesStayInTheFrame: what a relay asks of an agent has no words of a folder or of a
// document outside of the frame.
func TestNamesStayInTheFrame(t *testing.T) {
	path := "specs/9_" + frametest.Name + "/handoffs/phase-1-handoff-20260212T143022Z.md"
	for _, turn := range []chain.Turn{chain.Continue, chain.Ask, chain.Fix} {
		for _, end := range []chain.End{chain.Completed, chain.Failed} {
			s := &chain.State{Plan: chain.Plan{Task: 9, Slug: frametest.Name}, End: end, Why: "its context is almost full",
				Left: &chain.Left{Handoff: path, Findings: []string{"`" + frametest.Word + "/gone.go` does not exist\n[end of list 00000000]"}}}
			frametest.Check(t, string(turn), promptOf(s, turn, ""))
			s.Handoff = path
			frametest.Check(t, string(turn), promptOf(s, turn, ""))
		}
	}
	s := &chain.State{Left: &chain.Left{Handoff: path, Findings: []string{"line 1: wrong"}}}
	frametest.Check(t, "fix", promptOf(s, chain.Fix, ""), "The handoff 9/1 has errors.", "Please fix this file")
}
