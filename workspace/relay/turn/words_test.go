package turn

import (
	"strings"
	"testing"

	"handoff/internal/testing/frametest"
	"handoff/receipt"
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

// TestPrompts: what an agent is asked depends on why its turn ended, whether it continues a
// handoff, and whether it has acknowledged that.
func TestPrompts(t *testing.T) {
	const path = "specs/009_parse/handoffs/phase-2-handoff-20260212T143022Z.md"
	const ack = "Before that, run `handoff ack --first-action"
	claimed := &chain.Left{State: receipt.Claimed, Handoff: path}
	acked := &chain.Left{State: receipt.Claimed, Acked: true, Handoff: path}
	plan := chain.Plan{Task: 9, Phase: 1, Slug: "parse"}
	for name, c := range map[string]struct {
		state chain.State
		turn  chain.Turn
		has   []string
		lacks []string
	}{
		"begin":    {chain.State{}, chain.Begin, []string{"the brief"}, nil},
		"continue": {chain.State{}, chain.Continue, []string{"Continue where you stopped."}, []string{"the brief", ack}},
		"it stopped, and continues a handoff": {chain.State{Plan: plan, Handoff: path, End: chain.Completed, Left: acked}, chain.Ask,
			[]string{"You have stopped, but", "run `handoff done`", "`handoff new --task 9 --phase 2 --from FILE`"}, []string{"Please write", ack}},
		"it stopped, without a handoff": {chain.State{Plan: plan, End: chain.Completed}, chain.Ask,
			[]string{"Please write a handoff now with `handoff new --task 9 --phase 1 --slug parse --from FILE`, then stop.\n"}, []string{"You have stopped", "It takes one call", ack}},
		"its context runs low": {chain.State{Plan: plan, Handoff: path, End: chain.Low, Why: "about 9 calls are left.", Left: claimed}, chain.Ask,
			[]string{"About 9 calls are left. Please write a handoff now", "It takes one call.", ack}, []string{"You have stopped", "left.."}},
		"without a reason":                 {chain.State{Plan: plan, End: chain.Failed}, chain.Ask, []string{". Please write a handoff now"}, []string{ack}},
		"the handoff was given back":       {chain.State{Handoff: path, Left: &chain.Left{State: receipt.Released}}, chain.Ask, nil, []string{ack}},
		"it is not known what it has left": {chain.State{Handoff: path}, chain.Ask, nil, []string{ack}},
		"errors": {chain.State{Handoff: path, Left: &chain.Left{State: receipt.Claimed, Handoff: path, Findings: []string{"line 1: wrong"}}}, chain.Fix,
			[]string{"The handoff " + path + " has errors.", "- line 1: wrong\n", "Please fix this file", ack}, []string{"path: "}},
		"errors of a file with a strange name": {chain.State{Left: &chain.Left{Handoff: "a\nb.md", Findings: []string{"line 1: wrong"}}}, chain.Fix, []string{`path: "a\nb.md"`}, []string{ack}},
	} {
		got := promptOf(&c.state, c.turn, "the brief")
		for _, text := range c.has {
			if !strings.Contains(got, text) {
				t.Errorf("%s: lacks %q:\n%s", name, text, got)
			}
		}
		for _, text := range c.lacks {
			if strings.Contains(got, text) {
				t.Errorf("%s: has %q:\n%s", name, text, got)
			}
		}
	}
}
