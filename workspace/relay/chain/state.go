package chain

import (
	"cmp"
	"slices"
	"time"

	"handoff/receipt"
)

// State is what the facts of a relay add up to. The zero value is a relay without
// facts.
type State struct {
	Plan Plan
	At   time.Time // of the first fact

	// The link that works now, or worked last.
	Link    int // 0 before the first
	Agent   string
	Resumes bool
	Handoff string // that it continues, "" for the objective alone
	ClaimID string
	Known   []string
	Claim   string
	Thread  string
	Session string
	Asked   bool // it was asked for a handoff

	// Its last turn.
	Turn    Turn // "" before the first
	Running bool // it has not ended, as far as is known
	checked bool // the relay has looked since it was interrupted in this turn
	End     End
	Why     string
	Left    *Left // nil until the relay has looked
	Drafted string

	GaveBack bool // the relay has released the claim because it was stopped

	Misses int     // handoffs in a row that were refused, missing or not acknowledged
	before int     // misses when the link began
	Tokens int     // of all turns
	USD    float64 // of all turns

	SessionTokens int     // of the turns of the link's session
	SessionUSD    float64 // of the same

	Stopped string // why its last process stopped, "" if it was killed or is running
	Over    Reason // "" until the relay has ended
	OverWhy string
}

// misses is how many in a row end a relay.
const misses = 2

// Apply adds a fact.
func (s *State) Apply(f Fact) {
	s.Stopped = ""
	switch f.Kind {
	case Started:
		s.Plan, s.At = *f.Plan, f.At
	case LinkBegun:
		*s = State{Plan: s.Plan, At: s.At, Link: f.Link, Agent: f.Agent, Resumes: f.Resumes, Handoff: f.Handoff, ClaimID: f.ClaimID, Known: f.Known,
			Misses: s.Misses, before: s.Misses, Tokens: s.Tokens, USD: s.USD}
	case Opened:
		s.Claim, s.Thread, s.GaveBack = f.Claim, f.Thread, false
	case TurnBegun:
		s.Turn, s.Running, s.checked, s.Left = f.Turn, true, false, nil
		s.Asked = s.Asked || f.Turn == Ask
		if f.Turn == Begin {
			s.SessionTokens, s.SessionUSD = 0, 0
		}
	case Session:
		s.Session = f.Session
	case TurnEnded:
		if f.End != Signalled {
			s.Running, s.End, s.Why = false, f.End, f.Why
		}
		s.Tokens, s.USD = s.Tokens+f.Tokens, s.USD+f.USD
		s.SessionTokens, s.SessionUSD = s.SessionTokens+f.Tokens, s.SessionUSD+f.USD
	case Looked:
		if s.checked = s.Running; s.Running && !f.Left.finished() {
			s.Left = f.Left
			break
		}
		if s.Running {
			s.Running, s.End, s.Why = false, Completed, ""
		}
		s.look(f.Left)
	case Drafted:
		s.Drafted = f.Handoff
		s.Misses++
	case Stopped:
		s.Stopped, s.GaveBack = f.Why, true
	case Ended:
		s.Over, s.OverWhy = f.Reason, f.Why
	}
}

// finished reports whether nothing more is wanted of the agent.
func (l *Left) finished() bool {
	return l.By != "" || l.State == receipt.Done || l.Handoff != "" && len(l.Findings) == 0
}

// look counts what an agent has left. A handoff without errors ends the misses,
// unless the agent never acknowledged the one that it got.
func (s *State) look(l *Left) {
	s.Left = l
	switch {
	case l.Handoff == "":
	case len(l.Findings) > 0:
		s.Misses++
	case s.Handoff == "" || l.Acked:
		s.Misses = 0
	default:
		s.Misses = s.before + 1
	}
}

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

// Next decides what follows from the facts. It looks at nothing else, so a relay that
// was killed continues as if it had not been.
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

// AgentOf is the name of a link's agent: the last name is that of all further links.
func (p Plan) AgentOf(link int) string { return p.Agents[min(link, len(p.Agents))-1] }

// Fresh are the documents that were not there when the link began.
func (s *State) Fresh(documents []string) []string {
	return slices.DeleteFunc(documents, func(d string) bool { return slices.Contains(s.Known, d) })
}
