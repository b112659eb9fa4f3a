package relay

import (
	"cmp"
	"context"
	"errors"

	"handoff/agents"
	"handoff/receipt"
	"handoff/thread"
	"handoff/transcript"
	"handoff/workspace/receipts"
	"handoff/workspace/relay/chain"
	"handoff/workspace/spawn"
	"handoff/workspace/spawn/prompt"
)

// Run runs the relay until it ends, or ctx does. Then the agent gets the signal that is
// the cause, its claim is released, and the error is that of ctx. A relay that ended
// without reaching its objective is not an error: see [State.Over].
func (r *Relay) Run(ctx context.Context) error {
	for {
		a := r.state.Next()
		if a.Verb == chain.DoNothing {
			return nil
		}
		err := context.Cause(ctx)
		if err == nil {
			err = r.do(ctx, a)
		}
		if err != nil {
			return r.stop(ctx, err)
		}
	}
}

func (r *Relay) do(ctx context.Context, a chain.Action) error {
	if r.state.GaveBack && (a.Verb == chain.DoLook || a.Verb == chain.DoDraft) {
		if err := r.open(ctx); err != nil { // it was the relay that gave the handoff back, not the agent
			return err
		}
	}
	switch a.Verb {
	case chain.DoLink:
		return r.link(ctx, a.Handoff)
	case chain.DoTurn:
		return r.turn(ctx, a.Turn)
	case chain.DoLook:
		left, err := r.look(ctx)
		if err != nil {
			return err
		}
		return r.record(chain.Fact{Kind: chain.Looked, Left: left})
	case chain.DoDraft:
		return r.draft(ctx, a.Why)
	}
	if err := r.release(ctx, "relay ended: "+oneLine(cmp.Or(a.Why, string(a.Reason)))); err != nil {
		return err
	}
	return r.record(chain.Fact{Kind: chain.Ended, Reason: a.Reason, Why: a.Why})
}

// stop records why this process ends before the relay does. The handoff waits again.
func (r *Relay) stop(ctx context.Context, err error) error {
	return errors.Join(err, r.record(chain.Fact{Kind: chain.Stopped, Why: oneLine(err.Error())}), r.release(context.WithoutCancel(ctx), "relay stopped"))
}

// release gives the handoff of the link back, if its work is not finished and the
// claim still holds it.
func (r *Relay) release(ctx context.Context, why string) error {
	if r.state.Claim == "" {
		return nil
	}
	_, err := r.life.Release(ctx, receipts.Target{Dir: r.ws.Root, Ref: r.state.Handoff, Claim: r.state.Claim}, why)
	if errors.Is(err, receipt.ErrRefused) {
		err = nil
	}
	return err
}

// link begins the next link. Its claim's id is chosen now, so that the claim is known
// again if the relay is killed before it can record it.
func (r *Relay) link(ctx context.Context, handoff string) error {
	known, err := r.documents(ctx)
	if err != nil {
		return err
	}
	n := r.state.Link + 1
	a := r.agentOf(n)
	r.work = nil
	return r.record(chain.Fact{Kind: chain.LinkBegun, Link: n, Agent: a.Name, Resumes: len(a.Resume) > 0, Handoff: handoff, ClaimID: r.newID(), Known: known})
}

// agentOf is the agent of a link.
func (r *Relay) agentOf(link int) agents.Agent { return r.o.Agents[min(link, len(r.o.Agents))-1] }

func (r *Relay) newID() string {
	if r.ws.Options.NewID != nil {
		return r.ws.Options.NewID()
	}
	return thread.NewUUID()
}

// open claims the handoff of the link, for the first turn in this process.
func (r *Relay) open(ctx context.Context) error {
	if r.work != nil {
		return nil
	}
	s := &r.state
	p := s.Plan
	req := spawn.Request{Dir: r.ws.Root, Ref: s.Handoff, Objective: p.Objective, Agent: r.agentOf(s.Link), Level: p.Level,
		Place: prompt.Place{Task: p.Task, Phase: p.Phase, Dir: p.Dir, Slug: p.Slug}}
	if s.Link == 1 {
		req.Claim = p.Claim
	}
	j, err := spawn.Prepare(ctx, r.ws, req)
	if err != nil {
		return err
	}
	w, err := j.Open(ctx, spawn.Options{TTL: r.o.TTL, Grace: r.o.Grace, Stderr: r.o.Stderr, Getenv: r.o.Getenv, Event: r.event,
		Before: spawn.Before{ClaimID: s.ClaimID, Thread: s.Thread, Session: s.Session, Used: transcript.Total{Tokens: s.SessionTokens, USD: s.SessionUSD}}})
	if err != nil {
		return err
	}
	r.work, r.prompt = w, j.Prompt
	if w.Claim == s.Claim && w.Thread == s.Thread {
		return nil
	}
	return r.record(chain.Fact{Kind: chain.Opened, Claim: w.Claim, Thread: w.Thread})
}
