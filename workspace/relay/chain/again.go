package chain

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"handoff/agents"
)

// OnLimit is what a relay does when the account of an agent has no usage left.
type OnLimit string

// The ways. Without one it is [NextOnLimit].
const (
	WaitOnLimit OnLimit = "wait" // for the reset, with the same agent
	NextOnLimit OnLimit = "next" // the next agent of the plan whose account has usage left; wait if there is none
	StopOnLimit OnLimit = "stop" // end
)

// The bounds of what is tried again.
const (
	short      = 10 * time.Minute   // the longest wait for which no other agent is started
	longest    = 8 * 24 * time.Hour // the longest wait at all: the limits of a week
	firstRetry = 15 * time.Second   // after an error that passes, then twice as long each time
	lastRetry  = 15 * time.Minute
	firstProbe = 5 * time.Minute // of a limit that names no time, then twice as long each time
	lastProbe  = time.Hour
	tries      = 8                // turns in a row that an error ends: most of an hour
	outage     = 20               // without another agent: four hours
	probes     = 30               // that a limit ends
	starts     = 3                // of an agent that crashes before it does anything
	margin     = 30 * time.Second // after a reset: clocks differ
	progress   = 10 * time.Minute // of a turn that ends the count
)

// again is what a state has for turns that ended by no fault of the work.
type again struct {
	Cause   agents.End           // of the end of the last turn
	Until   time.Time            // when its host says that it works again
	Waiting *Wait                // nil unless the relay waits
	Limits  map[string]time.Time // until when the accounts of agents have no usage left
	now     time.Time            // of the last fact: decisions use no clock
	began   time.Time            // the last turn
	ended   time.Time
	failed  int             // turns in a row that ended so, without progress
	retry   Turn            // that follows a wait
	taken   bool            // in this link another process found that the agent has no usage left
	barren  bool            // a draft would have nothing to report
	idle    int             // links that did nothing
	worked  time.Duration   // of all turns
	linked  time.Duration   // of those of the link
	broken  map[string]bool // agents that need a person
}

// Wait is one that the relay has recorded.
type Wait struct {
	Until time.Time
	Why   string
	Turn  Turn // that follows; "" for a link
}

// next is what the next link keeps. One that did nothing is no link that was wanted, and the count of
// failures goes on over it.
func (a again) next() again {
	kept := again{Limits: a.Limits, now: a.now, idle: a.idle, broken: a.broken, worked: a.worked}
	if a.barren {
		kept.idle, kept.failed = a.idle+1, a.failed
	}
	return kept
}

// noted adds a fact.
func (s *State) noted(f Fact) {
	if !f.At.IsZero() {
		s.now = f.At
	}
	switch f.Kind {
	case Held:
		s.limit(f.Agent, f.Until)
		s.taken = s.taken || f.Agent == s.Agent
	case TurnBegun:
		s.began, s.retry, s.barren, s.Waiting = f.At, "", false, nil
	case TurnEnded:
		s.tell(f)
	case Drafted:
		s.barren = f.Handoff == ""
	case Waits:
		s.Waiting = &Wait{Until: f.Until, Why: f.Why, Turn: f.Turn}
	case Woke:
		if s.Waiting != nil {
			s.retry, s.Waiting = s.Waiting.Turn, nil
		}
	}
}

func (s *State) limit(agent string, until time.Time) {
	if s.Limits == nil {
		s.Limits = map[string]time.Time{}
	}
	s.Limits[agent] = until
}

// tell counts the end of a turn.
func (s *State) tell(f Fact) {
	if took := f.At.Sub(s.began); took > 0 {
		s.worked, s.linked = s.worked+took, s.linked+took
	}
	if f.End == Signalled {
		return
	}
	s.Cause, s.Until, s.ended = f.Ended, f.Until, f.At
	switch {
	case f.End == Hung, f.End == Failed && f.Ended == "" && (s.Turn == Ask || s.Turn == Fix): // it was stopped
		s.Cause = agents.Crash
	case f.End != Failed:
		s.Cause = ""
	}
	switch {
	case s.Cause == "" || s.Cause == agents.OK:
		s.failed = 0
		return
	case f.Tokens > 0 && f.At.Sub(s.began) >= progress:
		s.failed = 0
	}
	s.failed++
	switch s.Cause {
	case agents.Limit:
		s.limit(s.Agent, s.resets())
	case agents.Temporary:
		if s.failed > tries { // its provider is down
			s.limit(s.Agent, f.At.Add(lastProbe))
		}
	case agents.Permanent:
		s.give()
	case agents.Crash:
		if s.failed >= starts {
			s.give()
		}
	}
}

// give gives up the agent, as long as another one can be started.
func (s *State) give() {
	if s.broken == nil {
		s.broken = map[string]bool{}
	}
	s.broken[s.Agent] = true
}

// excused reports whether the agent has left no handoff by no fault of its own.
func (s *State) excused() bool { return s.Cause == agents.Limit || s.taken }

// recover decides about an agent whose turn ended by no fault of the work; ok is false if it counts
// as dead.
func (s *State) recover() (a Action, ok bool) {
	switch {
	case s.End != Failed:
		return a, false
	case s.Cause == agents.Limit:
		return s.limited(), true
	case s.Cause == agents.Temporary && (s.failed <= tries || s.failed <= outage && !s.others()):
		return s.wait(later(s.Until, s.ended.Add(backoff(firstRetry, lastRetry, s.failed))), s.Why, s.resumed()), true
	}
	return a, false
}

// limited decides about an agent whose account has no usage left.
func (s *State) limited() Action {
	until := s.resets().Add(margin)
	wait := until.Sub(s.ended)
	switch {
	case s.Plan.OnLimit == StopOnLimit:
		return end(Limited, s.Agent+": "+s.Why)
	case s.Plan.OnLimit != WaitOnLimit && s.others() && (wait > short || s.Until.IsZero()):
		return Action{Verb: DoDraft, Why: s.Why}
	case s.failed > probes || wait > longest:
		return end(Limited, s.Agent+": "+s.Why)
	}
	return s.wait(until, s.Agent+": "+s.Why, s.resumed())
}

// resets is when the limit of the last turn resets, as far as that is known: an agent that names no
// time, or one at which it is refused again, is tried after some time. A time that is just past, by
// another clock or because the message took a moment, is now.
func (s *State) resets() time.Time {
	switch {
	case s.Until.IsZero():
		return s.ended.Add(backoff(firstProbe, lastProbe, s.failed))
	case s.failed > 1:
		return later(s.Until, s.ended.Add(backoff(firstRetry, lastRetry, s.failed)))
	}
	return later(s.Until, s.ended)
}

// resumed is the turn with which an interrupted one goes on. A session in which no call succeeded
// has nothing that is worth to be resumed.
func (s *State) resumed() Turn {
	switch {
	case !s.CanResume() || s.SessionTokens == 0:
		return Begin
	case s.Turn == Begin:
		return Continue
	}
	return s.Turn
}

// wait starts nothing before a time. One that is recorded goes on as it is.
func (s *State) wait(until time.Time, why string, then Turn) Action {
	if w := s.Waiting; w != nil {
		return Action{Verb: DoWait, Until: w.Until, Why: w.Why, Turn: w.Turn}
	}
	return Action{Verb: DoWait, Until: until, Why: why, Turn: then}
}

// without decides about an agent that has done nothing: the next one begins where it did.
func (s *State) without() Action {
	why := s.Agent + ": " + s.noHandoff()
	switch {
	case s.Cause == agents.Crash && s.failed < starts:
		return s.wait(s.ended.Add(backoff(firstRetry, lastRetry, s.failed)), why, Begin)
	case s.excused() && s.failed <= probes, s.Cause != "" && slices.ContainsFunc(s.order(), func(name string) bool { return name != s.Agent && !s.broken[name] }):
		return s.begin(s.Handoff)
	}
	return end(Died, fmt.Sprintf("%s. It did nothing that a draft could report: `handoff thread show %s`", why, s.Thread))
}

// others reports whether the plan has another agent that can be started now.
func (s *State) others() bool {
	return slices.ContainsFunc(s.order(), func(name string) bool { return name != s.Agent && !s.broken[name] && !s.isLimited(name) })
}

func (s *State) isLimited(agent string) bool { return s.Limits[agent].After(s.now) }

// order are the names of the agents for the next link, the one of the plan first.
func (s *State) order() (names []string) {
	all := s.Plan.Agents
	for i := range all {
		name := all[(min(s.Link+1, len(all))-1+i)%len(all)]
		names = append(names, strings.TrimSuffix(path.Base(name), ".yaml"))
	}
	return names
}

// pick is the agent of the next link: that of the plan, unless another one has usage left before it.
func (s *State) pick() string {
	able := slices.DeleteFunc(s.order(), func(name string) bool { return s.broken[name] })
	if len(able) == 0 {
		able = s.order()
	}
	if s.Plan.OnLimit == WaitOnLimit || s.Plan.OnLimit == StopOnLimit {
		return able[0]
	}
	return slices.MinFunc(able, func(a, b string) int { return later(s.Limits[a], s.now).Compare(later(s.Limits[b], s.now)) })
}

// begin begins the next link. If no agent has usage left, it waits for the first one that will.
func (s *State) begin(handoff string) Action {
	name := s.pick()
	switch until := s.Limits[name]; {
	case s.isLimited(name) && (s.Plan.OnLimit == StopOnLimit || until.Sub(s.now) > longest):
		return end(Limited, name+" has no usage left until "+until.UTC().Format(time.RFC3339))
	case s.isLimited(name):
		return s.wait(until.Add(margin), name+" has no usage left", "")
	}
	a := Action{Verb: DoLink, Handoff: handoff}
	if name != s.order()[0] {
		a.Agent = name
	}
	return a
}

// held decides about a turn whose agent has no usage left, as its last turn or another process found
// out. What it owes is not worth a wait of hours if another agent can go on.
func (s *State) held(a Action) Action {
	const why = " has no usage left"
	until := s.Limits[s.Agent].Add(margin)
	switch others := s.Plan.OnLimit != WaitOnLimit && s.Waiting == nil && until.Sub(s.now) > short && s.others(); {
	case a.Verb != DoTurn || !s.isLimited(s.Agent):
		return a
	case s.Plan.OnLimit == StopOnLimit:
		return end(Limited, s.Agent+why)
	case others && s.Turn != "": // one that has not begun is begun when it can be
		return Action{Verb: DoDraft, Why: s.Agent + why}
	}
	return s.wait(until, s.Agent+why, a.Turn)
}

// backoff is the n-th wait.
func backoff(first, last time.Duration, n int) time.Duration {
	d := first
	for ; n > 1 && d < last; n-- {
		d *= 2
	}
	return min(d, last)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
