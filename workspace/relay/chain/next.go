package chain

import (
	"cmp"
	"time"

	"handoff/log/receipt"
	"handoff/workspace/owed"
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
	DoWait    Verb = "wait"  // start nothing before a time
	DoGate    Verb = "gate"  // check that the work is done
	DoAsk     Verb = "ask"   // wait for a person
	DoEnd     Verb = "end"   // the relay
)

// Action is the next step of a relay.
type Action struct {
	Verb    Verb
	Handoff string // link: that it continues
	Agent   string // link: its agent, if it is not the next one of the plan
	Turn    Turn
	Until   time.Time // wait
	Reason  Reason
	Why     string
}

// Next decides what follows from the facts. It uses nothing else, so a killed relay
// continues as if it had not been killed.
func (s *State) Next() Action { return s.held(s.next()) }

func (s *State) next() Action {
	switch {
	case s.Over != "" || s.Asks != "":
		return Action{}
	case s.Link == 0:
		return s.begin(s.Plan.Handoff)
	case s.retry != "":
		return turn(s.retry)
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
	case s.barren:
		return s.without()
	case s.Answer != "" && s.CanResume():
		return turn(Answer)
	case s.Answer != "":
		return turn(Begin) // in a new session, with the answer
	}
	return s.judge()
}

func turn(t Turn) Action { return Action{Verb: DoTurn, Turn: t} }

func end(r Reason, why string) Action { return Action{Verb: DoEnd, Reason: r, Why: why} }

func (s *State) CanResume() bool { return s.Resumes && s.Session != "" }

// judge decides by what the agent has left.
func (s *State) judge() Action {
	l := s.Left
	switch owed.Of(l.facts(s.End != Completed || s.Asked)) {
	case owed.Lost:
		return end(Lost, s.Ref()+" is claimed by "+l.By+" now")
	case owed.Finished:
		return s.conclude()
	case owed.HandedOver:
		return s.proceed(l.Handoff)
	case owed.Faulty:
		if s.Fixed || !s.CanResume() {
			return Action{Verb: DoDraft, Why: "the handoff that it wrote has errors: " + l.Findings[0]} // newer than that one, so a broken document never is the newest
		}
		return turn(Fix)
	case owed.Returned:
		return end(Released, s.Agent+" gave "+s.Ref()+" back")
	}
	if a, ok := s.recover(); ok {
		return a
	}
	if s.asks() {
		return Action{Verb: DoAsk}
	}
	if s.End != Failed && !s.Asked && s.CanResume() {
		return turn(Ask)
	}
	return s.miss()
}

// facts are what the agent has left, for the question what it owes. low: it cannot finish.
func (l *Left) facts(low bool) owed.Facts {
	state := l.State
	if l.Said {
		state = receipt.Done
	}
	return owed.Facts{State: state, Lost: l.By != "", Written: l.Handoff != "", Faulty: len(l.Findings) > 0, Low: low, Over: true}
}

// beside says what a person should look at although the work is done: that it changed its own checks, or that a handoff
// was written, which still waits.
func (s *State) beside() string {
	doubt := OneLine(s.Gate.Doubt())
	if s.Left.Handoff == "" {
		return doubt
	}
	if doubt != "" {
		doubt += "; "
	}
	return doubt + s.Left.Handoff + " was written, too, and waits: finish it with `handoff done REF --as NAME` if nothing is left to do"
}

// noHandoff is why an agent counts as dead that has ended by itself.
const noHandoff = "it ended without a handoff"

// noHandoff is why the agent has left nothing.
func (s *State) noHandoff() string {
	if s.End == Completed && s.Why != "" {
		return noHandoff + "; " + s.Why
	}
	return cmp.Or(s.Why, noHandoff)
}

// miss decides about an agent that has left no handoff and can write none.
func (s *State) miss() Action {
	why := s.noHandoff()
	if s.before+1 < misses {
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
	case s.Link-s.idle > s.Plan.Continuations:
		return end(Spent, handoff+" waits")
	}
	return s.begin(handoff)
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
	case p.Time > 0 && s.worked >= time.Duration(p.Time)*time.Second:
		return "the budget of time"
	}
	return ""
}
