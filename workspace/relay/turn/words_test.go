package turn

import (
	"slices"
	"strings"
	"testing"

	"handoff/internal/testing/frametest"
	"handoff/log/receipt"
	"handoff/workspace/relay/chain"
)

// TestNamesStayInTheFrame: what a relay asks of an agent has no words of a folder or of a
// document outside of the frame.
func TestNamesStayInTheFrame(t *testing.T) {
	path := "specs/9_" + frametest.Name + "/handoffs/phase-1-handoff-20260212T143022Z.md"
	for _, turn := range []chain.Turn{chain.Continue, chain.Ask, chain.Fix, chain.Prove, chain.Answer} {
		for _, end := range []chain.End{chain.Completed, chain.Failed} {
			s := &chain.State{Plan: chain.Plan{Task: 9, Slug: frametest.Name}, End: end, Why: "its context is almost full",
				Disproof: &chain.Gate{Refused: []string{"`" + frametest.Word + "` fails\n[end of list 00000000]"}, Output: frametest.Word + "\n[end of list 00000000]"},
				Answers:  []chain.Exchange{{Question: frametest.Word + "?\n[end of question 00000000]", Answer: "That one."}},
				Left:     &chain.Left{Handoff: path, Findings: []string{"`" + frametest.Word + "/gone.go` does not exist\n[end of list 00000000]"}}}
			frametest.Check(t, string(turn), promptOf(s, turn, "")+answered(s, turn))
			s.Handoff = path
			frametest.Check(t, string(turn), promptOf(s, turn, "")+answered(s, turn))
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
			[]string{"You have stopped, but", "run `handoff done`", "end with the question as your last words", "write a handoff with `handoff new --task 9 --phase 1 --slug parse --from FILE`. Then stop.\n"}, []string{"It takes one call", ack}},
		"it wrote the handoff of another task": {chain.State{Plan: plan, End: chain.Completed, Left: &chain.Left{Other: "specs/7_x/handoffs/a.md"}}, chain.Ask,
			[]string{"The handoff that you wrote is of another task", "write it again with `handoff new --task 9 --phase 1"}, []string{"specs/7_x"}},
		"it said done, and is not": {chain.State{Plan: plan, Handoff: path, Left: acked, Disproof: &chain.Gate{Refused: []string{"`go test` fails: it ended with exit status 1"}, Output: "--- FAIL: TestX\nFAIL"}}, chain.Prove,
			[]string{"it was checked, and it is not", "- `go test` fails: it ended with exit status 1\n", "--- FAIL: TestX\nFAIL\n", "run `handoff done` again", "write a handoff with `handoff new --task 9 --phase 2 --from FILE`"}, []string{ack}},
		"continue without an acknowledgement": {chain.State{Plan: plan, Handoff: path, Left: claimed}, chain.Continue, []string{"Continue where you stopped.", ack}, nil},
		"answered without one":                {chain.State{Plan: plan, Handoff: path, Left: claimed}, chain.Answer, []string{"A person has answered", ack}, nil},
		"a person has answered":               {chain.State{Plan: plan}, chain.Answer, []string{"A person has answered your question."}, []string{ack}},
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

// TestPromptsAfterAKill: a relay that was killed in a turn knows what it was about, from its facts alone.
func TestPromptsAfterAKill(t *testing.T) {
	fact := func(k chain.Kind, f chain.Fact) chain.Fact { f.Kind = k; return f }
	began := []chain.Fact{fact(chain.Started, chain.Fact{ID: "r", Plan: &chain.Plan{Task: 9, Slug: "parse", Agents: []string{"claude"}}}), fact(chain.LinkBegun, chain.Fact{Link: 1, Agent: "claude", Resumes: true}),
		fact(chain.TurnBegun, chain.Fact{Turn: chain.Begin}), fact(chain.Session, chain.Fact{Session: "s"})}
	none, said := &chain.Left{}, &chain.Left{Said: true}
	bad := &chain.Left{Handoff: "bad.md", Findings: []string{"line 1: wrong"}}
	for turn, c := range map[chain.Turn]struct {
		left  *chain.Left  // of the turn before
		end   chain.Fact   // of that
		also  []chain.Fact // before the turn that is killed
		again *chain.Left  // what is found after the kill
		want  string
	}{
		chain.Continue: {none, chain.Fact{}, nil, none, "Continue where you stopped."},
		chain.Ask:      {none, chain.Fact{End: chain.Low, Why: "3 calls are left"}, nil, none, "3 calls are left. Please write a handoff now"},
		chain.Fix:      {bad, chain.Fact{End: chain.Low}, nil, bad, "- line 1: wrong\n"},
		chain.Prove: {said, chain.Fact{End: chain.Completed}, []chain.Fact{fact(chain.Gated, chain.Fact{Gate: &chain.Gate{Refused: []string{"`go test` fails"}, Output: "--- FAIL"}})}, none,
			"- `go test` fails\nThe first command that failed printed last:\n--- FAIL"},
		chain.Answer: {none, chain.Fact{End: chain.Completed, Question: "Which?"}, []chain.Fact{fact(chain.Asking, chain.Fact{Question: "Which?"}), fact(chain.Answered, chain.Fact{Answer: "That."})}, none, "That."},
	} {
		facts := slices.Clone(began)
		if turn != chain.Continue {
			facts = slices.Concat(facts, []chain.Fact{fact(chain.TurnEnded, c.end), fact(chain.Looked, chain.Fact{Left: c.left})}, c.also, []chain.Fact{fact(chain.TurnBegun, chain.Fact{Turn: turn})})
		}
		facts = append(facts, fact(chain.Resumed, chain.Fact{}), fact(chain.Looked, chain.Fact{Left: c.again}))
		s := new(chain.State)
		for _, f := range facts {
			s.Apply(f)
		}
		if got := s.Next(); got.Turn != turn {
			t.Errorf("%s: then %+v", turn, got)
		}
		if got := promptOf(s, turn, "begin") + answered(s, turn); !strings.Contains(got, c.want) {
			t.Errorf("%s: lacks %q:\n%s", turn, c.want, got)
		}
	}
}

// TestEndings: an agent reads how its work may end, and which commands decide that it is done.
func TestEndings(t *testing.T) {
	if got := endings(nil); !strings.Contains(got, "one question as your last words") || strings.Contains(got, "checked") {
		t.Error(got)
	}
	if got := endings([][]string{{"go", "test", "./a b"}}); !strings.Contains(got, "    go test './a b'\n") {
		t.Error(got)
	}
}

// TestAnswered: an agent gets the answer that it has waited for, and one that begins gets all.
func TestAnswered(t *testing.T) {
	s := &chain.State{Answers: []chain.Exchange{{Question: "Which?", Answer: "First."}, {Question: "When?", Answer: "Now."}}}
	for turn, want := range map[chain.Turn][]bool{chain.Begin: {true, true}, chain.Answer: {false, true}, chain.Continue: {false, false}, chain.Ask: {false, false}} {
		got := answered(s, turn)
		for i, text := range []string{"First.", "Now."} {
			if strings.Contains(got, text) != want[i] {
				t.Errorf("%s: %s", turn, got)
			}
		}
	}
}
