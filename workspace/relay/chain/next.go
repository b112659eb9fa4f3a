package chain

import (
	"cmp"

	"handoff/receipt"
)

// Verb is what a relay does next.
type Verb string

// The verbs.
const (
	DoNothing Verb = ""      // it has ended
	DoLink    Verb = "link"  // begin the next link
	DoTurn    Verb = "turn"  // run the agent
	DoLook    Verb = "look"  // find out what the agent has left
	DoDraft   Verb = "draft" // write a handoff for it
	DoEnd     Verb = "end"   // the relay
)

// Action is the next step of a relay.
type Action struct {
	Verb    Verb
	Handoff string // link: that it continues
	Turn    Turn
	Reason  Reason
	Why     string
}

// Next decides what follows from the facts. It uses nothing else, so a killed relay
// continues as if it had not been killed.
func (s *State) Next() Action {
	switch {
	case s.Over != "":
		return Action{}
	case s.Link == 0:
		return Action{Verb: DoLink, Handoff: s.Plan.Handoff}
	case s.Turn == "":
		return turn(Begin)
	case s.Running && !s.checked:
		return Action{Verb: DoLook} // the agent may have finished before it was killed
	case s.Running && s.Turn == Begin && s.CanResume():
		return turn(Continue)
	case s.Running && s.Turn == Fix && s.Left.Handoff == "":
		return turn(Ask) // it has removed the file
	case s.Running && (s.Turn == Begin || s.CanResume()):
		return turn(s.Turn)
	case s.Running:
		return turn(Begin) // the session cannot be found again
	case s.Left == nil:
		return Action{Verb: DoLook}
	case s.Drafted != "":
		return s.proceed(s.Drafted)
	}
	return s.judge()
}

func turn(t Turn) Action { return Action{Verb: DoTurn, Turn: t} }

func end(r Reason, why string) Action { return Action{Verb: DoEnd, Reason: r, Why: why} }

func (s *State) CanResume() bool { return s.Resumes && s.Session != "" }

// judge decides by what the agent has left.
func (s *State) judge() Action {
	l := s.Left
	switch {
	case l.By != "":
		return end(Lost, s.Handoff+" is claimed by "+l.By+" now")
	case l.Handoff != "" && len(l.Findings) == 0:
		return s.proceed(l.Handoff)
	case l.Handoff != "" && (s.Misses >= misses || !s.CanResume()):
		return end(Refused, "two handoffs in a row were refused or missing; the last is "+l.Handoff)
	case l.Handoff != "":
		return turn(Fix)
	case l.State == receipt.Done:
		return end(Done, "")
	case l.State == receipt.Released:
		return end(Released, s.Agent+" gave "+s.Handoff+" back")
	case s.Handoff == "" && s.End == Completed && !s.Asked:
		return end(Done, "")
	case s.End != Failed && !s.Asked && s.CanResume():
		return turn(Ask)
	}
	return s.miss()
}

// miss decides about an agent that has left no handoff and can write none.
func (s *State) miss() Action {
	why := cmp.Or(s.Why, "it ended without a handoff")
	if s.Misses+1 < misses {
		return Action{Verb: DoDraft, Why: why}
	}
	if s.End == Failed {
		return end(Died, s.Agent+": "+why)
	}
	return end(Refused, "two handoffs in a row were refused or missing")
}

// proceed begins the next link, unless the chain or a budget is spent.
func (s *State) proceed(handoff string) Action {
	switch {
	case s.overBudget():
		return end(Budget, s.budget()+" is used up; "+handoff+" waits")
	case s.Misses >= misses:
		return end(Refused, "two handoffs in a row were refused, missing or not acknowledged; "+handoff+" waits")
	case s.Link > s.Plan.Continuations:
		return end(Spent, handoff+" waits")
	}
	return Action{Verb: DoLink, Handoff: handoff}
}

func (s *State) overBudget() bool { return s.budget() != "" }

// budget is the budget that is used up, "" for none.
func (s *State) budget() string { return s.BudgetWith(0, 0) }

// BudgetWith is [State.budget] after so much more is used.
func (s *State) BudgetWith(tokens int, usd float64) string {
	switch p := s.Plan; {
	case p.Tokens > 0 && s.Tokens+tokens >= p.Tokens:
		return "the budget of tokens"
	case p.USD > 0 && s.USD+usd >= p.USD:
		return "the budget of money"
	}
	return ""
}
