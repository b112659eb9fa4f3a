// Package chain decides what a relay does next. It gets facts and uses neither the disk
// nor the clock, so everything that a relay may do is in one place and covered by table
// tests. Package relay records the facts and acts on them.
package chain

import (
	"encoding/json"
	"fmt"
	"time"

	"handoff/agents"
	"handoff/log/receipt"
)

// Kind is what a fact records.
type Kind string

// The kinds of facts. Each is on the disk before the relay acts on it.
const (
	Started   Kind = "started"  // the relay, with its plan
	Resumed   Kind = "resumed"  // another process continues it
	LinkBegun Kind = "link"     // an agent is about to get a handoff, or the objective
	Opened    Kind = "opened"   // the handoff, or the task, is claimed, and the work has a thread
	TurnBegun Kind = "turn"     // the agent is about to be started
	Session   Kind = "session"  // the agent's id of its session
	TurnEnded Kind = "turn-end" // the agent has ended
	Looked    Kind = "looked"   // what the agent has left: see [Left]
	Gated     Kind = "gate"     // what was found when it said that the work is done: see [Gate]
	Asking    Kind = "asks"     // the agent needs the answer of a person, for whom the relay waits
	Answered  Kind = "answer"   // of a person
	Drafted   Kind = "drafted"  // the relay wrote a handoff for an agent that left none, or found nothing to report
	Held      Kind = "held"     // the account of an agent has no usage left, as another process found out
	Waits     Kind = "waits"    // nothing is started before a time
	Woke      Kind = "woke"     // that time has come
	Stopped   Kind = "stopped"  // by a signal or an error; it can be resumed
	Ended     Kind = "ended"    // the relay
)

// Fact is one line of a relay's journal. The order of the fields is the order in the
// file.
type Fact struct {
	Seq  uint64    `json:"seq"` // from 0, one more in each line
	At   time.Time `json:"at"`  // UTC, to the millisecond
	Kind Kind      `json:"fact"`

	ID   string `json:"id,omitempty"`   // started, resumed: of the relay
	Plan *Plan  `json:"plan,omitempty"` // started

	Link    int      `json:"link,omitempty"`     // link: from 1
	Agent   string   `json:"agent,omitempty"`    //
	Resumes bool     `json:"resumes,omitempty"`  // link: the agent can resume a session
	Handoff string   `json:"handoff,omitempty"`  // link: continued; looked, drafted: written
	ClaimID string   `json:"claim_id,omitempty"` // link: last part of the id that the claim will have
	Known   []string `json:"known,omitempty"`    // link: documents of the task before
	Tree    string   `json:"tree,omitempty"`     // link: hash of the working tree before, "" without git
	Mark    string   `json:"mark,omitempty"`     // link: of the git repository, "" without one

	Settings map[string]string `json:"settings,omitempty"` // link, and resumed if a person keeps changed ones: hashes of what programs obey

	Claim   string `json:"claim,omitempty"`   // opened
	Thread  string `json:"thread,omitempty"`  // opened
	Turn    Turn   `json:"turn,omitempty"`    // turn
	Session string `json:"session,omitempty"` // session

	End    End     `json:"end,omitempty"`    // turn-end
	Run    string  `json:"run,omitempty"`    // turn-end: of the thread
	Exit   int     `json:"exit,omitempty"`   // turn-end: exit status, -1 for a signal
	Tokens int     `json:"tokens,omitempty"` // turn-end: of all calls of the turn
	USD    float64 `json:"usd,omitempty"`    // turn-end: as far as the agent reports it

	Ended agents.End `json:"ended,omitempty"` // turn-end: why it failed
	Until time.Time  `json:"until,omitzero"`  // turn-end: when its host says that it works again; held, waits

	LeftRunning []string `json:"left_running,omitempty"` // turn-end: commands that agents of the relay started and that run on, where the system shows them

	Left *Left `json:"left,omitempty"` // looked
	Gate *Gate `json:"gate,omitempty"` // gate

	Question string `json:"question,omitempty"` // turn-end: in the agent's last words; asks
	Answer   string `json:"answer,omitempty"`   // answer

	Reason Reason `json:"reason,omitempty"` // ended
	Why    string `json:"why,omitempty"`    // turn-end, drafted, stopped, ended: for people
}

// Plan is what a relay was started with.
type Plan struct {
	Objective     string       `json:"objective"`
	Task          int          `json:"task"`
	Phase         int          `json:"phase"`
	Dir           string       `json:"dir,omitempty"`     // of the task when the relay was started, "" for none
	Slug          string       `json:"slug,omitempty"`    // of the folder that the task gets
	Handoff       string       `json:"handoff,omitempty"` // that the first link continues
	Claim         string       `json:"claim,omitempty"`   // of the caller, for that handoff or the task
	Agents        []string     `json:"agents"`            // of the first link, the second, …; the last one stays
	Via           string       `json:"via"`               // how they are started: auto, cli or acp
	Level         agents.Level `json:"level"`
	Allow         []string     `json:"allow,omitempty"`   // commands that they may run at the level edit
	Continuations int          `json:"max_continuations"` // successors that are started at most
	USD           float64      `json:"budget_usd,omitempty"`
	Tokens        int          `json:"budget,omitempty"`
	OnLimit       OnLimit      `json:"on_limit,omitempty"`
	Idle          int          `json:"idle_seconds,omitempty"`   // without an event before an agent counts as hung; 0 for the default, below 0 for never
	LinkTime      int          `json:"link_seconds,omitempty"`   // that the agent of a link may work; the same
	Time          int          `json:"budget_seconds,omitempty"` // that all agents may work

	Until       []string `json:"until,omitempty"`             // commands of the user that must succeed before done is believed
	Tests       bool     `json:"tests,omitempty"`             // or those of checks.tests
	Commits     bool     `json:"commits,omitempty"`           // what the agents changed must be committed
	Leave       bool     `json:"leave_uncommitted,omitempty"` // the user wants it so, whatever the level is
	Base        string   `json:"base,omitempty"`              // the commit at which it began
	Uncommitted []string `json:"uncommitted,omitempty"`       // files that were not committed when the relay was started
}

// Turn is what an agent is asked in a turn.
type Turn string

// The kinds of turns.
const (
	Begin    Turn = "begin"    // the work
	Continue Turn = "continue" // the work, after the relay was interrupted
	Ask      Turn = "ask"      // a handoff, nothing else
	Fix      Turn = "fix"      // a handoff that has errors
	Prove    Turn = "prove"    // the rest of the work: its done was not believed
	Answer   Turn = "answer"   // the work, with a person's answer
)

// End is how a turn ended.
type End string

// The ends of turns.
const (
	Completed End = "completed" // the agent ended by itself, without an error
	Low       End = "low"       // interrupted: few tokens are left in its context
	OverLimit End = "budget"    // interrupted: a budget is used up
	Hung      End = "hung"      // interrupted: nothing happened, or it took too long
	Failed    End = "failed"    // it died, reported an error, or did not stop when asked
	Signalled End = "signalled" // the relay was stopped: the turn is resumed with it
)

// Left is what an agent has left when its turn ended.
type Left struct {
	State    receipt.State `json:"state,omitempty"`    // of the handoff that it continued
	By       string        `json:"by,omitempty"`       // who holds it now, if not the agent
	Acked    bool          `json:"acked,omitempty"`    // the agent acknowledged that handoff
	Began    bool          `json:"began,omitempty"`    // or visibly did its first action
	Said     bool          `json:"said,omitempty"`     // the agent has told the relay that the work is done
	Other    string        `json:"other,omitempty"`    // a handoff that it wrote for another task, "" for none
	Handoff  string        `json:"handoff,omitempty"`  // the new one, "" for none
	Findings []string      `json:"findings,omitempty"` // errors in it
}

// Reason is why a relay ended.
type Reason string

// The reasons.
const (
	Done     Reason = "done"     // the objective is done
	Spent    Reason = "spent"    // as many successors as wanted have worked
	Budget   Reason = "budget"   // tokens or money are used up
	Refused  Reason = "refused"  // two handoffs in a row were refused or missing
	Died     Reason = "died"     // agents died without a handoff
	Limited  Reason = "limit"    // the account of an agent has no usage left
	Lost     Reason = "lost"     // another session has claimed the handoff
	Released Reason = "released" // the agent gave the handoff back
	Unproved Reason = "unproved" // an agent says that the work is done, and it is not
)

// Marshal returns the encoded fact.
func (f Fact) Marshal() ([]byte, error) { return json.Marshal(f) }

// Parse reads a fact. A fact of an unknown kind is an error, because no decision is
// safe on facts that are not understood.
func Parse(line []byte) (f Fact, err error) {
	if err := json.Unmarshal(line, &f); err != nil {
		return f, err
	}
	switch f.Kind {
	case Started, Resumed, LinkBegun, Opened, TurnBegun, Session, TurnEnded, Looked, Gated, Asking, Answered, Drafted, Held, Waits, Woke, Stopped, Ended:
		return f, nil
	}
	return f, fmt.Errorf("unknown fact %q: a newer handoff wrote it; update this one", f.Kind)
}
