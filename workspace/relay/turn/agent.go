// Package turn runs the turns of a link's agent through package spawn. It interrupts the
// agent when its context runs low or a budget is used up.
package turn

import (
	"cmp"
	"context"
	"io"
	"time"

	"handoff/agents"
	"handoff/agents/transcript"
	"handoff/workspace"
	"handoff/workspace/relay/chain"
	"handoff/workspace/spawn"
	"handoff/workspace/spawn/meter"
	"handoff/workspace/spawn/prompt"
)

// Options are how agents are run. All have defaults.
type Options struct {
	Relay string // its id
	// Twin is for a task whose number another task has, in another worktree: claims know the number
	// only, so the first link claims nothing.
	Twin bool
	// Until are commands that must succeed before it is believed that the work is done. They are
	// not taken from the journal: only the user, or what he trusts, chooses what is run.
	Until  [][]string
	Event  func(meter.Event)   // gets what the agents report
	Stderr io.Writer           // gets the agents' standard error; nil to discard it
	Getenv func(string) string // nil for the process's own

	TTL   time.Duration // of a lease; 0 for [spawn.LeaseTime]
	Grace time.Duration // for an agent to end after a signal; 0 for package runner's default
	// AskCalls and AskTime limit the turn of an agent that was asked for a handoff: calls
	// of the model, and time. After that the agent is stopped. 0 for [spawn.AskCalls] and
	// [spawn.AskTime].
	AskCalls int
	AskTime  time.Duration

	Clock func() time.Time // that tells whether an agent hangs; nil for the system's

	// IgnoreLimit starts agents although their accounts are known to have no usage left.
	IgnoreLimit bool
	Patience    time.Duration // see [meter.Options]
}

// Agent is the agent of a link, as this process runs it.
type Agent struct {
	ws     *workspace.Workspace
	state  *chain.State // of the relay
	agent  agents.Agent
	record func(chain.Fact) error
	o      Options

	work   *spawn.Work // nil before it is opened in this process
	prompt string      // with which it begins
	failed error       // a fact that could not be recorded during a turn
}

// New is the agent of the link that the state has. record puts a fact on the disk and
// applies it to the state.
func New(ws *workspace.Workspace, s *chain.State, a agents.Agent, record func(chain.Fact) error, o Options) *Agent {
	o.AskCalls, o.AskTime = cmp.Or(o.AskCalls, spawn.AskCalls), cmp.Or(o.AskTime, spawn.AskTime)
	return &Agent{ws: ws, state: s, agent: a, record: record, o: o}
}

// Open claims the handoff of the link, or the task if there is none, for the first turn in this process.
func (a *Agent) Open(ctx context.Context) error {
	if a.work != nil {
		return nil
	}
	s, p := a.state, a.state.Plan
	req := spawn.Request{Dir: a.ws.Root, Ref: s.Handoff, Objective: p.Objective, Agent: a.agent, Level: p.Level, Allow: p.Allow, Whole: !a.o.Twin,
		Place: prompt.Place{Task: p.Task, Phase: p.Phase, Dir: p.Dir, Slug: p.Slug}}
	if s.Link == 1 {
		req.Claim = p.Claim
	}
	j, err := spawn.Prepare(ctx, a.ws, req)
	if err != nil {
		return err
	}
	w, err := j.Open(ctx, spawn.Options{TTL: a.o.TTL, Grace: a.o.Grace, Stderr: a.o.Stderr, Getenv: a.o.Getenv, Event: a.event, Relay: a.o.Relay, Patience: a.o.Patience, IgnoreLimit: true, // the relay looks by itself
		Before: spawn.Before{ClaimID: s.ClaimID, Thread: s.Thread, Session: s.Session, Used: transcript.Total{Tokens: s.SessionTokens, USD: s.SessionUSD}}})
	if err != nil {
		return err
	}
	a.work, a.prompt = w, j.Prompt+endings(a.o.Until)
	return a.opened()
}

// reopen finds a place for the output of a further turn.
func (a *Agent) reopen(ctx context.Context) error {
	if err := a.work.Reopen(ctx); err != nil {
		return err
	}
	return a.opened()
}

// opened records what the work holds, if that is new.
func (a *Agent) opened() error {
	w, s := a.work, a.state
	if w.Claim == s.Claim && w.Thread == s.Thread {
		return nil
	}
	return a.record(chain.Fact{Kind: chain.Opened, Claim: w.Claim, Thread: w.Thread})
}
