package chain

import (
	"cmp"
	"slices"
	"time"

	"handoff/log/receipt"
	"handoff/workspace/owed"
)

// State is what the facts of a relay add up to. The zero value is a relay without
// facts.
type State struct {
	ID   string
	Plan Plan
	At   time.Time // of the first fact

	// The link that works now, or worked last.
	Link    int // 0 before the first
	Agent   string
	Resumes bool
	Handoff string // that it continues, "" for the objective alone
	ClaimID string
	Known   []string
	Tree    string // hash of the working tree when it began, "" if that is not known
	Mark    string // of the git repository when it began, "" if that is not known
	Claim   string // on [State.Ref], "" for none
	Thread  string
	Session string

	Settings map[string]string // hashes of what programs obey, when it began

	Asked bool // it was asked for a handoff
	Fixed bool // it was asked to fix one

	// Its last turn.
	Turn    Turn // "" before the first
	Running bool // it has not ended, as far as is known
	checked bool // the relay has looked since it was interrupted in this turn
	End     End
	Why     string
	Left    *Left // nil until the relay has looked
	Drafted string
	again

	Question string // in its last words
	Gate     *Gate  // nil until it was checked that the work is done
	Refusals int    // how often that was not so, in this link
	Disproof *Gate  // why, the last time; kept for the turn that tells the agent, which may be repeated

	Asks    string     // the question for which the relay waits for a person, "" for none
	Answer  string     // of the person, until the agent has it
	Answers []Exchange // of all links

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
	s.noted(f)
	switch f.Kind {
	case Started:
		s.ID, s.Plan, s.At = f.ID, *f.Plan, f.At
	case LinkBegun:
		*s = State{ID: s.ID, Plan: s.Plan, At: s.At, Link: f.Link, Agent: f.Agent, Resumes: f.Resumes, Handoff: f.Handoff, ClaimID: f.ClaimID, Known: f.Known, Tree: f.Tree, Mark: f.Mark, Settings: f.Settings,
			Misses: s.Misses, before: s.Misses, Tokens: s.Tokens, USD: s.USD, Answers: s.Answers, again: s.again.next()}
	case Resumed:
		if f.Settings != nil {
			s.Settings = f.Settings
		}
	case Opened:
		s.Claim, s.Thread, s.GaveBack = f.Claim, f.Thread, false
	case TurnBegun:
		s.Turn, s.Running, s.checked, s.Left = f.Turn, true, false, nil
		s.Gate, s.Question, s.Answer = nil, "", ""
		s.Asked = f.Turn == Ask || s.Asked && f.Turn != Prove && f.Turn != Answer // with new work it may be asked again
		s.Fixed = s.Fixed || f.Turn == Fix
		if f.Turn == Begin {
			s.SessionTokens, s.SessionUSD = 0, 0
		}
	case Session:
		s.Session = f.Session
	case TurnEnded:
		if f.End != Signalled {
			s.Running, s.End, s.Why, s.Question = false, f.End, f.Why, f.Question
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
	case Gated:
		s.Gate = f.Gate
		if len(f.Gate.Refused) > 0 {
			s.Refusals, s.Disproof = s.Refusals+1, f.Gate
		}
	case Asking:
		s.Asks, s.GaveBack = f.Question, true
	case Answered:
		s.Answers = append(s.Answers, Exchange{s.Asks, f.Answer})
		s.Asks, s.Answer = "", f.Answer
	case Drafted:
		s.Running = false // a turn that was interrupted is not continued
		if s.Drafted = f.Handoff; !s.excused() {
			s.Misses = s.before + 1
		}
	case Stopped:
		s.Stopped, s.GaveBack = f.Why, true
	case Ended:
		s.Over, s.OverWhy = f.Reason, f.Why
	}
}

// finished reports whether nothing more is wanted of the agent.
func (l *Left) finished() bool { return owed.Of(l.facts(true)).Settled() }

// look counts what an agent has left: a link is one miss at most. A handoff without errors ends
// the misses, unless the agent neither acknowledged the one that it got nor did its first action.
func (s *State) look(l *Left) {
	s.Left = l
	switch {
	case l.Handoff == "" || l.Said || len(l.Findings) > 0: // it is asked, or there will be a draft
	case s.Handoff == "" || l.Acked || l.Began:
		s.Misses = 0
	default:
		s.Misses = s.before + 1
	}
}

// AgentOf returns the name of a link's agent; the last name is for all later links.
func (p Plan) AgentOf(link int) string { return p.Agents[min(link, len(p.Agents))-1] }

// Ref is what the link's claim is on: the handoff that it continues, or the task.
func (s *State) Ref() string { return cmp.Or(s.Handoff, receipt.Task(s.Plan.Task)) }

// Fresh are the documents that were not there when the link began.
func (s *State) Fresh(documents []string) []string {
	return slices.DeleteFunc(documents, func(d string) bool { return slices.Contains(s.Known, d) })
}
