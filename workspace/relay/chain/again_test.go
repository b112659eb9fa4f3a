package chain

import (
	"testing"
	"time"

	"handoff/agents"
	"handoff/log/receipt"
)

// t0 is when each relay of these tests begins. Each fact is a minute after the one before, unless it has a time.
var t0 = time.Date(2026, 11, 27, 1, 0, 0, 0, time.UTC)

// died is the end of a turn of an agent that had used tokens.
func died(kind agents.End, until time.Time) Fact {
	return Fact{End: Failed, Why: string(kind), Ended: kind, Until: until, Tokens: 10}
}

// dead is that of one that had used none.
func dead(kind agents.End, until time.Time) Fact {
	f := died(kind, until)
	f.Tokens = 0
	return f
}

// times gives facts their times, and applies them.
func times(p *Plan, facts []Fact) *State {
	s, at := new(State), t0
	for _, f := range append([]Fact{{Kind: Started, Plan: p}}, facts...) {
		if f.At.IsZero() {
			f.At = at
		}
		at = f.At.Add(time.Minute)
		s.Apply(f)
	}
	return s
}

// TestAgain: what follows the end of a turn that is no fault of the work.
func TestAgain(t *testing.T) {
	five := t0.Add(5 * time.Hour)
	const ends = 6 // minutes from the start to the end of the first turn
	at := t0.Add((ends - 1) * time.Minute)
	wait := func(until time.Time, why string, then Turn) Action {
		return Action{Verb: DoWait, Until: until, Why: why, Turn: then}
	}
	again := func(n int, kind agents.End) (list []Fact) { // n further turns that end so
		for range n {
			list = append(list, facts([]Fact{{Kind: Waits, Turn: Continue}, {Kind: Woke}}, another(Continue, dead(kind, time.Time{})), nothing)...)
		}
		return list
	}
	one := func(p *Plan) { p.Agents = []string{"claude"} }
	waits := func(p *Plan) { p.OnLimit = WaitOnLimit }
	stops := func(p *Plan) { p.OnLimit = StopOnLimit }
	for name, c := range map[string]struct {
		facts []Fact
		plan  func(*Plan)
		want  Action
	}{
		"a limit: the next agent gets a draft":           {facts: facts(link(1, "", died(agents.Limit, five)), none), want: Action{Verb: DoDraft, Why: "limit"}},
		"and continues it":                               {facts: facts(link(1, "", died(agents.Limit, five)), none, []Fact{{Kind: Drafted, Handoff: "d.md"}}), want: Action{Verb: DoLink, Handoff: "d.md"}},
		"or begins what this one had not begun":          {facts: facts(link(1, "a.md", dead(agents.Limit, five)), nothing, []Fact{{Kind: Drafted}}), want: Action{Verb: DoLink, Handoff: "a.md"}},
		"the only agent waits":                           {facts: facts(link(1, "", died(agents.Limit, five)), none), plan: one, want: wait(five.Add(margin), "claude: limit", Continue)},
		"so does one of several that is to wait":         {facts: facts(link(1, "", died(agents.Limit, five)), none), plan: waits, want: wait(five.Add(margin), "claude: limit", Continue)},
		"one that did nothing begins again":              {facts: facts(link(1, "a.md", dead(agents.Limit, five)), nothing), plan: one, want: wait(five.Add(margin), "claude: limit", Begin)},
		"a reset in some minutes is waited for":          {facts: facts(link(1, "", died(agents.Limit, at.Add(9*time.Minute))), none), want: wait(at.Add(9*time.Minute+margin), "claude: limit", Continue)},
		"a limit that ends the relay":                    {facts: facts(link(1, "", died(agents.Limit, five)), none), plan: stops, want: end(Limited, "claude: limit")},
		"a limit of a month":                             {facts: facts(link(1, "", died(agents.Limit, t0.Add(20*24*time.Hour))), none), plan: one, want: end(Limited, "claude: limit")},
		"a bad handoff before the limit: the next agent": {facts: facts(link(1, "", died(agents.Limit, five)), bad), want: Action{Verb: DoDraft, Why: "claude has no usage left"}},
		"which the only agent corrects later":            {facts: facts(link(1, "", died(agents.Limit, five)), bad), plan: one, want: wait(five.Add(margin), "claude has no usage left", Fix)},
		"so does one that is to wait":                    {facts: facts(link(1, "", died(agents.Limit, five)), bad), plan: waits, want: wait(five.Add(margin), "claude has no usage left", Fix)},
		"limited when it is to be asked: no miss": {facts: facts([]Fact{{Kind: LinkBegun, Link: 1, Agent: "claude", Resumes: true}}, another(Begin, low), nothing, []Fact{{Kind: Held, Agent: "claude", Until: five}, {Kind: Drafted, Handoff: "d.md"}},
			[]Fact{{Kind: LinkBegun, Link: 2, Agent: "codex", Handoff: "d.md"}}, another(Begin, died(agents.Crash, time.Time{})), nothing), want: Action{Verb: DoDraft, Why: "crash"}},
		"a limit whose reset is just past":            {facts: facts(link(1, "", died(agents.Limit, at.Add(-time.Second))), none), plan: one, want: wait(at.Add(margin), "claude: limit", Continue)},
		"a limit without a time: tried after minutes": {facts: facts(link(1, "", died(agents.Limit, time.Time{})), none), plan: one, want: wait(at.Add(firstProbe+margin), "claude: limit", Continue)},
		"a wait goes on after a kill":                 {facts: facts(link(1, "", died(agents.Limit, five)), none, []Fact{{Kind: Waits, Until: five, Why: "w", Turn: Continue}, {Kind: Resumed}}), plan: one, want: wait(five, "w", Continue)},
		"and ends in the turn that it was for":        {facts: facts(link(1, "", died(agents.Limit, five)), none, []Fact{{Kind: Waits, Until: five, Turn: Continue}, {Kind: Woke, At: five}}), plan: one, want: turn(Continue)},
		"also killed after it":                        {facts: facts(link(1, "", died(agents.Limit, five)), none, []Fact{{Kind: Waits, Until: five, Turn: Continue}, {Kind: Woke, At: five}, {Kind: Resumed}}), plan: one, want: turn(Continue)},
		"a handoff before the limit counts":           {facts: facts(link(1, "", died(agents.Limit, five)), good), want: Action{Verb: DoLink, Handoff: "new.md"}},
		"work that is done before the limit":          {facts: facts(link(2, "a.md", died(agents.Limit, five)), left(Left{State: receipt.Done})), want: Action{Verb: DoGate}},
		"a limit when it is asked: asked again":       {facts: facts(link(1, "", low), none, another(Ask, died(agents.Limit, five)), none), plan: one, want: wait(five.Add(margin), "claude: limit", Ask)},
		"limits are no misses":                        {facts: facts(link(1, "", died(agents.Limit, t0)), none, []Fact{{Kind: Drafted, Handoff: "d.md"}}, link(2, "d.md", died(agents.Crash, time.Time{})), nothing), want: Action{Verb: DoDraft, Why: "crash"}},
		"all agents are limited: the first reset":     {facts: facts([]Fact{{Kind: Held, Agent: "codex", Until: t0.Add(3 * time.Hour)}}, link(1, "", died(agents.Limit, five)), none), want: wait(five.Add(margin), "claude: limit", Continue)},
		"an agent that another process found limited": {facts: []Fact{{Kind: Held, Agent: "claude", Until: five}}, want: Action{Verb: DoLink, Agent: "codex"}},
		"both":                                               {facts: []Fact{{Kind: Held, Agent: "claude", Until: five}, {Kind: Held, Agent: "codex", Until: t0.Add(time.Hour)}}, want: wait(t0.Add(time.Hour+margin), "codex has no usage left", "")},
		"that wait is over":                                  {facts: []Fact{{Kind: Held, Agent: "claude", Until: five}, {Kind: Held, Agent: "codex", Until: t0.Add(time.Hour)}, {Kind: Waits}, {Kind: Woke, At: t0.Add(2 * time.Hour)}}, want: Action{Verb: DoLink, Agent: "codex"}},
		"it is not replaced if it is to wait":                {facts: []Fact{{Kind: Held, Agent: "claude", Until: five}}, plan: waits, want: wait(five.Add(margin), "claude has no usage left", "")},
		"nor if it is to end":                                {facts: []Fact{{Kind: Held, Agent: "claude", Until: five}}, plan: stops, want: end(Limited, "claude has no usage left until 2026-11-27T06:00:00Z")},
		"before it is resumed: the next agent":               {facts: facts(link(1, "", completed)[:4], none, []Fact{{Kind: Held, Agent: "claude", Until: five}}), want: Action{Verb: DoDraft, Why: "claude has no usage left"}},
		"and continues the draft":                            {facts: facts(link(1, "a.md", completed)[:4], nothing, []Fact{{Kind: Held, Agent: "claude", Until: five}, {Kind: Drafted, Handoff: "d.md"}}), want: Action{Verb: DoLink, Handoff: "d.md"}},
		"which begins what that had not begun":               {facts: facts(link(1, "a.md", completed)[:4], nothing, []Fact{{Kind: Held, Agent: "claude", Until: five}, {Kind: Drafted}}), want: Action{Verb: DoLink, Handoff: "a.md"}},
		"the only agent is resumed later":                    {facts: facts(link(1, "", completed)[:4], none, []Fact{{Kind: Held, Agent: "claude", Until: five}}), plan: one, want: wait(five.Add(margin), "claude has no usage left", Continue)},
		"back to the first agent":                            {facts: facts(link(1, "", completed)[:1], []Fact{{Kind: Held, Agent: "codex", Until: five}}, link(1, "", low)[1:], good), want: Action{Verb: DoLink, Handoff: "new.md", Agent: "claude"}},
		"an error that passes: soon again":                   {facts: facts(link(1, "", died(agents.Temporary, time.Time{})), none), want: wait(at.Add(firstRetry), "temporary", Continue)},
		"with the time of its provider":                      {facts: facts(link(1, "", died(agents.Temporary, at.Add(time.Minute))), none), want: wait(at.Add(time.Minute), "temporary", Continue)},
		"later each time":                                    {facts: facts(link(1, "", died(agents.Temporary, time.Time{})), nothing, again(1, agents.Temporary)), want: wait(at.Add(5*time.Minute+2*firstRetry), "temporary", Continue)},
		"often enough: a draft":                              {facts: facts(link(1, "", died(agents.Temporary, time.Time{})), nothing, again(tries, agents.Temporary)), want: Action{Verb: DoDraft, Why: "temporary"}},
		"longer without another agent":                       {facts: facts(link(1, "", died(agents.Temporary, time.Time{})), nothing, again(tries, agents.Temporary)), plan: one, want: wait(at.Add((5*tries)*time.Minute+lastRetry), "temporary", Continue)},
		"but not for ever":                                   {facts: facts(link(1, "", died(agents.Temporary, time.Time{})), nothing, again(outage, agents.Temporary)), plan: one, want: Action{Verb: DoDraft, Why: "temporary"}},
		"progress ends the count":                            {facts: facts(link(1, "", died(agents.Temporary, time.Time{})), nothing, again(tries, agents.Temporary), []Fact{{Kind: TurnBegun, Turn: Continue, At: five}, {Kind: TurnEnded, At: five.Add(time.Hour), End: Failed, Ended: agents.Temporary, Tokens: 5, Why: "x"}}, nothing), want: wait(five.Add(time.Hour+firstRetry), "x", Continue)},
		"a wrong key: no other try":                          {facts: facts(link(1, "", died(agents.Permanent, time.Time{})), none), want: Action{Verb: DoDraft, Why: "permanent"}},
		"another agent begins":                               {facts: facts(link(1, "a.md", dead(agents.Permanent, time.Time{})), nothing, []Fact{{Kind: Drafted}}), want: Action{Verb: DoLink, Handoff: "a.md"}},
		"and the wrong key is not tried again":               {facts: facts(link(1, "a.md", dead(agents.Permanent, time.Time{})), nothing, []Fact{{Kind: Drafted}, {Kind: Held, Agent: "codex", Until: five}}), want: wait(five.Add(margin), "codex has no usage left", "")},
		"a wrong key of the only agent":                      {facts: facts(link(1, "a.md", dead(agents.Permanent, time.Time{})), nothing, []Fact{{Kind: Drafted}}), plan: one, want: end(Died, "claude: permanent. It did nothing that a draft could report: `handoff thread show t`")},
		"a crash in the work: a draft":                       {facts: facts(link(1, "", died(agents.Crash, time.Time{})), none), want: Action{Verb: DoDraft, Why: "crash"}},
		"a crash before the work: started again":             {facts: facts(link(1, "a.md", dead(agents.Crash, time.Time{})), nothing, []Fact{{Kind: Drafted}}), want: wait(at.Add(firstRetry), "claude: crash", Begin)},
		"after the wait":                                     {facts: facts(link(1, "a.md", dead(agents.Crash, time.Time{})), nothing, []Fact{{Kind: Drafted}, {Kind: Waits, Turn: Begin}, {Kind: Woke}}), want: turn(Begin)},
		"an end of an unknown kind: as in old journals":      {facts: facts(link(1, "", dead("", time.Time{})), none, []Fact{{Kind: Drafted}}), plan: one, want: end(Died, "claude: it ended without a handoff. It did nothing that a draft could report: `handoff thread show t`")},
		"a link that did nothing is no link that was wanted": {facts: facts(link(1, "a.md", dead(agents.Limit, five)), nothing, []Fact{{Kind: Drafted}}, link(2, "a.md", low), good, link(3, "new.md", low), good), want: Action{Verb: DoLink, Handoff: "new.md", Agent: ""}},
	} {
		p := plan()
		if c.plan != nil {
			c.plan(p)
		}
		if got := times(p, c.facts).Next(); got != c.want {
			t.Errorf("%s:\n     %+v\nwant %+v", name, got, c.want)
		}
	}
}

// TestStarts: an agent that crashes again and again before it does anything is given up.
func TestStarts(t *testing.T) {
	p := plan()
	p.Agents = []string{"claude"}
	list := facts(link(1, "a.md", dead(agents.Crash, time.Time{})), nothing, []Fact{{Kind: Drafted}})
	for n := 1; ; n++ {
		a := times(p, list).Next()
		if a.Verb != DoWait {
			if n != starts || a.Verb != DoEnd || a.Reason != Died {
				t.Errorf("after %d starts: %+v", n, a)
			}
			return
		}
		list = facts(list, []Fact{{Kind: Waits, Turn: a.Turn}, {Kind: Woke}}, another(Begin, dead(agents.Crash, time.Time{})), nothing, []Fact{{Kind: Drafted}})
	}
}

// TestBounded: whatever kind of end an agent has again and again, a relay ends, and no wait is longer
// than the longest.
func TestBounded(t *testing.T) {
	for _, names := range [][]string{{"claude"}, {"claude", "codex"}, {"claude", "codex", "claude"}} {
		for _, on := range []OnLimit{"", WaitOnLimit, NextOnLimit, StopOnLimit} {
			for _, kind := range []agents.End{agents.Limit, agents.Temporary, agents.Permanent, agents.Crash} {
				for _, draft := range []string{"", "d.md"} {
					p := plan()
					p.Agents, p.OnLimit = names, on
					if n := playOut(t, p, kind, draft); n > 500 {
						t.Errorf("%q, %s, %s, draft %q: no end after %d facts", names, on, kind, draft, n)
					}
				}
			}
		}
	}
}

// playOut plays a relay whose agents always end in the same way, and returns the number of facts.
func playOut(t *testing.T, p *Plan, kind agents.End, draft string) int {
	var s State
	at, n := t0, 0
	apply := func(f Fact) { f.At = at; n++; s.Apply(f) }
	apply(Fact{Kind: Started, Plan: p})
	for n <= 500 {
		at = at.Add(time.Minute)
		switch a := s.Next(); a.Verb {
		case DoNothing:
			return n
		case DoLink:
			name := a.Agent
			if name == "" {
				name = p.AgentOf(s.Link + 1)
			}
			apply(Fact{Kind: LinkBegun, Link: s.Link + 1, Agent: name, Resumes: true, Handoff: a.Handoff})
			apply(Fact{Kind: Opened, Thread: "t"})
		case DoTurn:
			apply(Fact{Kind: TurnBegun, Turn: a.Turn})
			apply(Fact{Kind: Session, Session: "s"})
			apply(Fact{Kind: TurnEnded, End: Failed, Ended: kind, Why: "x"})
		case DoLook:
			apply(Fact{Kind: Looked, Left: &Left{State: receipt.Claimed}})
		case DoDraft:
			apply(Fact{Kind: Drafted, Handoff: draft})
		case DoWait:
			if a.Until.Sub(at) > longest+margin {
				t.Errorf("waits from %s until %s", at, a.Until)
			}
			apply(Fact{Kind: Waits, Until: a.Until, Turn: a.Turn, Why: a.Why})
			at = later(at, a.Until)
			apply(Fact{Kind: Woke})
		case DoEnd:
			apply(Fact{Kind: Ended, Reason: a.Reason, Why: a.Why})
		}
	}
	return n
}
