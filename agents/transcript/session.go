package transcript

import (
	"cmp"
	"slices"
	"strings"

	"handoff/agents/transcript/gauge"
	"handoff/internal/text/say"
)

// Session is what the records of a transcript add up to. The zero value is a
// session without records. Everything about the context is since its last
// compaction.
type Session struct {
	ID, Dir, DirHash, Version, Model string

	Window      int      // size of the model's context in tokens, 0 unless the host reports it
	WindowOf    string   // the name of that model, as the host named it with the window
	Used        int      // tokens in the context at the last call; a level, never a sum; 0 before the first call
	Calls       int      // calls of the model in this context
	Growth      []int    // tokens that the last calls added, oldest first, at most [GrowthKept]
	Compactions int      // how often the context was compacted or cleared
	Saved       bool     // a handoff was saved in this context
	Last        bool     // that was the last work since the prompt: no file was written after it, and at most [LastCalls] tools were called
	Total       Total    // over all records, whatever was compacted
	Reported    Total    // the sum at the end of a run: of the run, or of the whole session; see [Total.Of]
	Prompt      string   // what the agent was asked last
	Said        []string // its last texts, oldest first, at most [SaidKept]
	Ended       bool     // the run has ended
	Failed      string   // why it failed
	Resets      int64    // when the limit that it met resets, in seconds since 1970; 0 if that is not known

	side     bool     // the records are those of a subagent
	calls    []string // the last of them
	reply    int      // tokens of the last call's reply, as recorded
	sent     int      // bytes of that reply
	added    int      // bytes added to the context since
	fresh    bool     // compacted, and not called since
	reads    map[reading]int
	tools    map[string]bool
	savingID string // of the tool that saved the handoff
	since    int    // calls of tools after that
}

// Total is what a session has used.
type Total struct {
	Calls  int     // of the model
	Tokens int     // of all calls together: what each had in its context, and the replies
	USD    float64 // as the host reports it
}

// Of returns the usage of a run: t by its records, and the sum that the host reported at
// its end, which includes subagents. before is the usage of the session when the run
// began. Some hosts include that in the sum: Claude Code 2.1.197 does.
func (t Total) Of(reported, before Total) Total {
	if reported.Tokens-before.Tokens >= t.Tokens {
		reported.Tokens, reported.USD = reported.Tokens-before.Tokens, max(0, reported.USD-before.USD)
	}
	return Total{Calls: t.Calls, Tokens: max(t.Tokens, reported.Tokens), USD: t.USD + reported.USD}
}

// Plus is the sum of two totals.
func (t Total) Plus(o Total) Total {
	return Total{Calls: t.Calls + o.Calls, Tokens: t.Tokens + o.Tokens, USD: t.USD + o.USD}
}

// How much of the past a session keeps.
const (
	GrowthKept = 8
	SaidKept   = 3
	callsKept  = 8
	LastCalls  = 3
	textKept   = 400 // bytes of a prompt or of an agent's text
)

// bytesPerToken is what hosts themselves estimate with.
const bytesPerToken = 4

type reading struct {
	file string
	part int
}

// Pending estimates the tokens that the context has gained since the last call:
// the reply and the results of its tools.
func (s *Session) Pending() int {
	if s.Used == 0 {
		return 0
	}
	return max(s.reply, s.sent/bytesPerToken) + s.added/bytesPerToken
}

// Repeated are the files that were read at least min times in this context with
// no change in between, the most often read first.
func (s *Session) Repeated(min int) []gauge.Repeat {
	list := []gauge.Repeat{}
	for r, n := range s.reads {
		if n >= min {
			list = append(list, gauge.Repeat{File: r.file, Times: n})
		}
	}
	slices.SortFunc(list, func(a, b gauge.Repeat) int { return cmp.Or(b.Times-a.Times, cmp.Compare(a.File, b.File)) })
	return list
}

// Add adds the next record.
func (s *Session) Add(r Record) {
	if r.Side != s.side && !s.turn(r) {
		return
	}
	s.ID, s.Dir, s.DirHash = cmp.Or(r.Session, s.ID), cmp.Or(r.Dir, s.Dir), cmp.Or(r.DirHash, s.DirHash)
	s.Version = cmp.Or(r.Version, s.Version)
	s.modelled(r)
	if r.Compacted {
		s.compacted()
	}
	s.call(r)
	if r.Spent > 0 {
		s.Reported = Total{Tokens: r.Spent, USD: r.USD}
	} else {
		s.Total.USD += r.USD
	}
	s.sent += r.Sent
	s.added += r.Added
	for _, t := range r.Tools {
		s.tool(t)
	}
	if s.savingID != "" && r.FailedCall(s.savingID) {
		s.Saved, s.Last = false, false
	}
	s.heard(r)
}

// turn starts over with a record of the session after those of a subagent, or
// the reverse. Older hosts write both to one file. The session's calls count;
// those of a subagent count only if there are no others. It reports whether the
// record counts.
func (s *Session) turn(r Record) bool {
	if r.Side && s.Used > 0 || !r.Side && r.Input == 0 {
		return false
	}
	*s = Session{ID: s.ID, Dir: s.Dir, Version: s.Version, Total: s.Total, Reported: s.Reported, side: r.Side}
	return true
}

// compacted drops the facts about the old context. A host may mark one
// compaction several times.
func (s *Session) compacted() {
	if s.fresh {
		return
	}
	s.Compactions++
	s.fresh = true
	s.Used, s.Calls, s.Growth, s.reads, s.tools = 0, 0, nil, nil, nil
	s.reply, s.sent, s.added = 0, 0, 0
	s.Saved, s.Last, s.savingID = false, false, ""
}

// call adds the usage of a record. A record of an earlier call never replaces
// that of a later one.
func (s *Session) call(r Record) {
	switch {
	case r.Input == 0:
		return
	case r.Call != "" && len(s.calls) > 0 && r.Call == s.calls[len(s.calls)-1]:
		s.Total.Tokens += max(0, r.Input-s.Used) + max(0, r.Output-s.reply)
		s.Used, s.reply = max(s.Used, r.Input), max(s.reply, r.Output)
		return
	case r.Call != "" && slices.Contains(s.calls, r.Call):
		return
	}
	if s.Used > 0 && r.Input < s.Used/2 {
		s.compacted() // or cleared: not every host records it
	}
	if s.Used > 0 {
		s.Growth = keep(append(s.Growth, max(0, r.Input-s.Used)), GrowthKept)
	}
	s.calls = keep(append(s.calls, r.Call), callsKept)
	s.Used, s.reply, s.sent, s.added, s.fresh = r.Input, r.Output, 0, 0, false
	s.Calls++
	s.Total.Calls++
	s.Total.Tokens += r.Input + r.Output
	s.Ended, s.Failed, s.Resets = false, "", 0
}

func (s *Session) tool(t Tool) {
	if t.ID != "" && s.tools[t.ID] {
		return // written again with its result
	}
	if s.tools == nil {
		s.tools, s.reads = map[string]bool{}, map[reading]int{}
	}
	s.tools[t.ID] = true
	if s.since++; t.Saves() && !t.Failed {
		s.Saved, s.Last, s.savingID, s.since = true, true, t.ID, 0
	} else if t.Writes || s.since > LastCalls {
		s.Last = false
	}
	switch {
	case t.File == "" || t.Failed:
	case t.Writes:
		for r := range s.reads {
			if r.file == t.File {
				delete(s.reads, r)
			}
		}
	default:
		s.reads[reading{t.File, t.Part}]++
	}
}

func (s *Session) heard(r Record) {
	if r.Prompt != "" {
		s.Prompt, s.Last = begin(r.Prompt), false
	}
	if r.Text != "" {
		s.Said = keep(append(s.Said, begin(r.Text)), SaidKept)
	}
	s.Ended = s.Ended || r.End
	s.Failed = cmp.Or(r.Failed, s.Failed)
	s.Resets = cmp.Or(r.Resets, s.Resets)
}

// keep is the end of a list.
func keep[T any](list []T, n int) []T { return list[max(0, len(list)-n):] }

// begin is the beginning of a text, without the memory of the rest.
func begin(text string) string {
	return strings.Clone(say.Clip(text, textKept))
}
