package chain

import (
	"testing"

	"handoff/log/receipt"
)

// plan of a relay whose first link begins with an objective.
func plan() *Plan {
	return &Plan{Objective: "parse", Task: 1, Phase: 1, Agents: []string{"claude", "codex"}, Level: "all", Continuations: 2}
}

// link are the facts of a link up to the end of its first turn.
func link(n int, handoff string, end Fact) []Fact {
	end.Kind = TurnEnded
	return []Fact{{Kind: LinkBegun, Link: n, Agent: "claude", Resumes: true, Handoff: handoff}, {Kind: Opened, Claim: "c", Thread: "t"},
		{Kind: TurnBegun, Turn: Begin}, {Kind: Session, Session: "s"}, end}
}

func facts(parts ...[]Fact) (all []Fact) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func another(t Turn, end Fact) []Fact {
	end.Kind = TurnEnded
	return []Fact{{Kind: TurnBegun, Turn: t}, end}
}

// noSession are the facts of a link whose agent cannot resume a session.
func noSession(n int, handoff string, end Fact) []Fact {
	return append([]Fact{{Kind: LinkBegun, Link: n, Agent: "amp", Handoff: handoff}}, another(Begin, end)...)
}

func left(l Left) []Fact { return []Fact{{Kind: Looked, Left: &l}} }

var (
	completed = Fact{End: Completed}
	low       = Fact{End: Low, Why: "few tokens"}
	failed    = Fact{End: Failed, Why: "exit status 1"}
	question  = Fact{End: Completed, Question: "Which one?"}
	none      = left(Left{})
	saysDone  = left(Left{State: receipt.Claimed, Said: true})
	proved    = []Fact{{Kind: Gated, Gate: &Gate{}}}
	refused   = []Fact{{Kind: Gated, Gate: &Gate{Refused: []string{"`go test` fails"}}}}
	asking    = []Fact{{Kind: Asking, Question: "Which one?"}}
	answered  = []Fact{{Kind: Answered, Answer: "That one."}}
	nothing   = left(Left{State: receipt.Claimed, Acked: true})
	good      = left(Left{Handoff: "new.md", State: receipt.Superseded, Acked: true})
	unread    = left(Left{Handoff: "new.md", State: receipt.Superseded})
	bad       = left(Left{Handoff: "bad.md", State: receipt.Claimed, Acked: true, Findings: []string{"line 1: x"}})
)

// TestNext: what a relay does next, by the facts alone.
func TestNext(t *testing.T) {
	begun := []Fact{{Kind: LinkBegun, Link: 1, Agent: "claude", Resumes: true}}
	for name, c := range map[string]struct {
		facts []Fact
		plan  func(*Plan)
		want  Action
	}{
		"the first link begins the objective":           {want: Action{Verb: DoLink}},
		"or continues what waits":                       {plan: func(p *Plan) { p.Handoff = "a.md" }, want: Action{Verb: DoLink, Handoff: "a.md"}},
		"a link begins with a turn":                     {facts: begun, want: turn(Begin)},
		"killed before the session is known: once more": {facts: facts(begun, []Fact{{Kind: TurnBegun, Turn: Begin}}, none), want: turn(Begin)},
		"killed in the turn: what it left comes first":  {facts: link(1, "", completed)[:4], want: Action{Verb: DoLook}},
		"killed after it wrote a handoff":               {facts: facts(link(1, "", completed)[:4], good), want: Action{Verb: DoLink, Handoff: "new.md"}},
		"killed after it was done":                      {facts: facts(link(2, "a.md", completed)[:4], left(Left{State: receipt.Done, Acked: true})), want: Action{Verb: DoGate}},
		"killed while it fixed a handoff":               {facts: facts(link(1, "", low), bad, []Fact{{Kind: TurnBegun, Turn: Fix}}, bad), want: turn(Fix)},
		"and had removed it":                            {facts: facts(link(1, "", low), bad, []Fact{{Kind: TurnBegun, Turn: Fix}}, none), want: turn(Ask)},
		"killed with half of a handoff":                 {facts: facts(link(2, "a.md", completed)[:4], bad), want: turn(Continue)},
		"killed in the turn: the session is resumed":    {facts: facts(link(1, "", completed)[:4], none), want: turn(Continue)},
		"killed when it was asked: asked again":         {facts: facts(link(1, "", low), nothing, []Fact{{Kind: TurnBegun, Turn: Ask}}, nothing), want: turn(Ask)},
		"killed in a turn that continued":               {facts: facts(link(1, "", completed)[:4], []Fact{{Kind: TurnBegun, Turn: Continue}}, none), want: turn(Continue)},
		"an ended turn is looked at":                    {facts: link(1, "", low), want: Action{Verb: DoLook}},
		"few tokens: asked":                             {facts: facts(link(1, "", low), nothing), want: turn(Ask)},
		"a handoff: the next link":                      {facts: facts(link(1, "", low), nothing, another(Ask, completed), good), want: Action{Verb: DoLink, Handoff: "new.md"}},
		"a handoff of an agent that died after it":      {facts: facts(link(1, "", failed), good), want: Action{Verb: DoLink, Handoff: "new.md"}},
		"the first link ended by itself: asked":         {facts: facts(link(1, "", completed), none), want: turn(Ask)},
		"it says done":                                  {facts: facts(link(1, "", completed), saysDone), want: Action{Verb: DoGate}},
		"and it is":                                     {facts: facts(link(1, "", completed), saysDone, proved), want: end(Done, "")},
		"it is not: sent back":                          {facts: facts(link(1, "", completed), saysDone, refused), want: turn(Prove)},
		"it says so again: checked again":               {facts: facts(link(1, "", completed), saysDone, refused, another(Prove, completed), saysDone), want: Action{Verb: DoGate}},
		"it is not, again: sent back":                   {facts: facts(link(1, "", completed), saysDone, refused, another(Prove, completed), saysDone, refused), want: turn(Prove)},
		"a third time: a draft":                         {facts: facts(link(1, "", completed), saysDone, refused, another(Prove, completed), saysDone, refused, another(Prove, completed), saysDone, refused), want: Action{Verb: DoDraft, Why: "it said that the work is done, but `go test` fails"}},
		"and the next link":                             {facts: facts(link(1, "", completed), saysDone, refused, []Fact{{Kind: Drafted, Handoff: "d.md"}}), want: Action{Verb: DoLink, Handoff: "d.md"}},
		"which says so, too: unproved":                  {facts: facts(link(1, "", completed), saysDone, refused, []Fact{{Kind: Drafted, Handoff: "d.md"}}, noSession(2, "d.md", completed), saysDone, refused), want: end(Unproved, "amp: it said that the work is done, but `go test` fails")},
		"sent back, and it stops: asked":                {facts: facts(link(1, "", completed), none, another(Ask, completed), saysDone, refused, another(Prove, completed), none), want: turn(Ask)},
		"sent back, and it hands over":                  {facts: facts(link(1, "", completed), saysDone, refused, another(Prove, low), good), want: Action{Verb: DoLink, Handoff: "new.md"}},
		"an agent without sessions is not sent back":    {facts: facts(noSession(1, "", completed), saysDone, refused), want: Action{Verb: DoDraft, Why: "it said that the work is done, but `go test` fails"}},
		"recorded as done, and is not: a draft":         {facts: facts(link(2, "a.md", completed), left(Left{State: receipt.Done}), refused), want: Action{Verb: DoDraft, Why: "it said that the work is done, but `go test` fails"}},
		"it died after it said so":                      {facts: facts(link(1, "", failed), saysDone), want: Action{Verb: DoGate}},
		"and it is not":                                 {facts: facts(link(1, "", failed), saysDone, refused), want: Action{Verb: DoDraft, Why: "it said that the work is done, but `go test` fails"}},
		"killed while it was checked":                   {facts: facts(link(1, "", completed), saysDone, []Fact{{Kind: Resumed}}), want: Action{Verb: DoGate}},
		"killed while it worked on what was refused":    {facts: facts(link(1, "", completed), saysDone, refused, []Fact{{Kind: TurnBegun, Turn: Prove}}, none), want: turn(Prove)},

		"it ends with a question: asked what it owes": {facts: facts(link(1, "", question), none), want: turn(Ask)},
		"and the question again: a person":            {facts: facts(link(1, "", question), none, another(Ask, question), none), want: Action{Verb: DoAsk}},
		"a question after it wrote a handoff":         {facts: facts(link(1, "", question), good), want: Action{Verb: DoLink, Handoff: "new.md"}},
		"a question of an agent that died":            {facts: facts(link(1, "", Fact{End: Failed, Why: "x", Question: "Which?"}), none), want: Action{Verb: DoDraft, Why: "x"}},
		"a question without sessions":                 {facts: facts(noSession(1, "", question), none), want: Action{Verb: DoAsk}},
		"the relay waits for a person":                {facts: facts(link(1, "", question), none, another(Ask, question), none, asking), want: Action{}},
		"a person answers":                            {facts: facts(link(1, "", question), none, another(Ask, question), none, asking, answered), want: turn(Answer)},
		"also for an agent without sessions":          {facts: facts(noSession(1, "", question), none, asking, answered), want: turn(Begin)},
		"after the answer it may be asked again":      {facts: facts(link(1, "", question), none, another(Ask, question), none, asking, answered, another(Answer, low), none), want: turn(Ask)},
		"killed with the answer":                      {facts: facts(link(1, "", question), none, another(Ask, question), none, asking, answered, []Fact{{Kind: TurnBegun, Turn: Answer}}, none), want: turn(Answer)},

		"a successor said done":                          {facts: facts(link(2, "a.md", completed), saysDone, proved), want: end(Done, "")},
		"done, and a handoff beside it":                  {facts: facts(link(2, "a.md", completed), left(Left{Handoff: "new.md", State: receipt.Done, Acked: true}), proved), want: end(Done, "new.md was written, too, and waits: finish it with `handoff done REF --as NAME` if nothing is left to do")},
		"done, and a bad handoff beside it":              {facts: facts(link(2, "a.md", low), left(Left{Handoff: "bad.md", State: receipt.Done, Findings: []string{"line 1: x"}}), proved), want: end(Done, "bad.md was written, too, and waits: finish it with `handoff done REF --as NAME` if nothing is left to do")},
		"killed after it was done, with a handoff":       {facts: facts(link(2, "a.md", completed)[:4], left(Left{Handoff: "new.md", State: receipt.Done}), proved), want: end(Done, "new.md was written, too, and waits: finish it with `handoff done REF --as NAME` if nothing is left to do")},
		"a successor said nothing: asked":                {facts: facts(link(2, "a.md", completed), nothing), want: turn(Ask)},
		"and still nothing: a draft":                     {facts: facts(link(2, "a.md", completed), nothing, another(Ask, completed), nothing), want: Action{Verb: DoDraft, Why: "it ended without a handoff"}},
		"an agent that died: a draft":                    {facts: facts(link(1, "", failed), nothing), want: Action{Verb: DoDraft, Why: "exit status 1"}},
		"the chain continues with it":                    {facts: facts(link(1, "", failed), nothing, []Fact{{Kind: Drafted, Handoff: "d.md"}}), want: Action{Verb: DoLink, Handoff: "d.md"}},
		"a second death in a row":                        {facts: facts(link(1, "", failed), nothing, []Fact{{Kind: Drafted, Handoff: "d.md"}}, link(2, "d.md", failed), nothing), want: end(Died, "claude: exit status 1")},
		"a death after a good handoff is the first":      {facts: facts(link(1, "", failed), nothing, []Fact{{Kind: Drafted, Handoff: "d.md"}}, link(2, "d.md", low), good, link(3, "new.md", failed), nothing), want: Action{Verb: DoDraft, Why: "exit status 1"}},
		"a bad handoff: fixed":                           {facts: facts(link(1, "", low), bad), want: turn(Fix)},
		"a bad handoff twice: a draft":                   {facts: facts(link(1, "", low), bad, another(Fix, completed), bad), want: Action{Verb: DoDraft, Why: "the handoff that it wrote has errors: line 1: x"}},
		"and the link after a bad one":                   {facts: facts(link(1, "", low), bad, another(Fix, completed), bad, []Fact{{Kind: Drafted, Handoff: "d.md"}}), want: Action{Verb: DoLink, Handoff: "d.md"}},
		"the second in a row is the end, with a draft":   {facts: facts(link(1, "", low), bad, another(Fix, completed), bad, []Fact{{Kind: Drafted, Handoff: "d.md"}}, link(2, "d.md", low), bad, another(Fix, completed), bad, []Fact{{Kind: Drafted, Handoff: "e.md"}}), want: end(Refused, "two handoffs in a row were refused, missing or not acknowledged; e.md waits")},
		"fixed, removed, written badly again: a draft":   {facts: facts(link(1, "", low), bad, another(Fix, completed), none, another(Ask, completed), bad), want: Action{Verb: DoDraft, Why: "the handoff that it wrote has errors: line 1: x"}},
		"a fixed one":                                    {facts: facts(link(1, "", low), bad, another(Fix, completed), good), want: Action{Verb: DoLink, Handoff: "new.md"}},
		"never acknowledged, once":                       {facts: facts(link(2, "a.md", low), unread), want: Action{Verb: DoLink, Handoff: "new.md"}},
		"never acknowledged, twice":                      {facts: facts(link(2, "a.md", low), unread, link(3, "new.md", low), unread), want: end(Refused, "two handoffs in a row were refused, missing or not acknowledged; new.md waits")},
		"twice, but it did the first action":             {facts: facts(link(2, "a.md", low), unread, link(3, "new.md", low), left(Left{Handoff: "new.md", State: receipt.Superseded, Began: true})), plan: func(p *Plan) { p.Continuations = 9 }, want: Action{Verb: DoLink, Handoff: "new.md"}},
		"as many successors as wanted":                   {facts: facts(link(3, "a.md", low), good), want: end(Spent, "new.md waits")},
		"no successors wanted":                           {facts: facts(link(1, "", low), good), plan: func(p *Plan) { p.Continuations = 0 }, want: end(Spent, "new.md waits")},
		"the budget of tokens: asked first":              {facts: facts(link(1, "", Fact{End: OverLimit, Tokens: 50}), nothing), plan: func(p *Plan) { p.Tokens = 50 }, want: turn(Ask)},
		"then the relay ends":                            {facts: facts(link(1, "", Fact{End: OverLimit, Tokens: 50}), nothing, another(Ask, completed), good), plan: func(p *Plan) { p.Tokens = 50 }, want: end(Budget, "the budget of tokens is used up; new.md waits")},
		"the budget of money, over two links":            {facts: facts(link(1, "", Fact{End: Low, USD: 0.3}), good, link(2, "new.md", Fact{End: Low, USD: 0.3}), good), plan: func(p *Plan) { p.USD = 0.5 }, want: end(Budget, "the budget of money is used up; new.md waits")},
		"a budget does not hide that the work is done":   {facts: facts(link(1, "", Fact{End: Completed, USD: 9}), saysDone, proved), plan: func(p *Plan) { p.USD = 1 }, want: end(Done, "")},
		"somebody else has claimed it":                   {facts: facts(link(2, "a.md", failed), left(Left{State: receipt.Claimed, By: "ann"})), want: end(Lost, "a.md is claimed by ann now")},
		"the agent gave it back":                         {facts: facts(link(2, "a.md", completed), left(Left{State: receipt.Released})), want: end(Released, "claude gave a.md back")},
		"an agent without sessions cannot be asked":      {facts: facts([]Fact{{Kind: LinkBegun, Link: 2, Agent: "amp", Handoff: "a.md"}}, another(Begin, completed), nothing), want: Action{Verb: DoDraft, Why: "it ended without a handoff"}},
		"nor to fix a handoff":                           {facts: facts(noSession(2, "a.md", completed), bad), want: Action{Verb: DoDraft, Why: "the handoff that it wrote has errors: line 1: x"}},
		"an ended relay does nothing":                    {facts: facts(link(1, "", completed), saysDone, proved, []Fact{{Kind: Ended, Reason: Done}}), want: Action{}},
		"a stopped one continues":                        {facts: facts(link(1, "", completed)[:4], []Fact{{Kind: Stopped, Why: "a signal"}, {Kind: Resumed}}, none), want: turn(Continue)},
		"an agent that does not stop when it was asked":  {facts: facts(link(1, "", low), nothing, another(Ask, Fact{End: Failed, Why: "it did not stop"}), nothing), want: Action{Verb: DoDraft, Why: "it did not stop"}},
		"asked once, also if the first turn was resumed": {facts: facts(link(2, "a.md", low), nothing, another(Ask, low), nothing), want: Action{Verb: DoDraft, Why: "few tokens"}},
	} {
		p := plan()
		if c.plan != nil {
			c.plan(p)
		}
		var s State
		s.Apply(Fact{Kind: Started, Plan: p})
		for _, f := range c.facts {
			s.Apply(f)
		}
		if got := s.Next(); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestAgentOf(t *testing.T) {
	p := Plan{Agents: []string{"claude", "codex", "gemini"}}
	for n, want := range []string{1: "claude", 2: "codex", 3: "gemini", 4: "gemini"} {
		if n > 0 && p.AgentOf(n) != want {
			t.Errorf("link %d: %s, want %s", n, p.AgentOf(n), want)
		}
	}
}
