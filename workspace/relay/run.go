package relay

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"handoff/agents"
	"handoff/workspace"
	"handoff/workspace/relay/chain"
	"handoff/workspace/relay/turn"
)

// Run runs the relay until it ends, or ctx does. Then the agent gets the signal that is
// the cause, its claim is released, and the error is that of ctx. A relay that ended
// without reaching its objective is not an error: see [chain.State.Over].
func (r *Relay) Run(ctx context.Context) error {
	ctx, deaf := r.listen(ctx)
	defer deaf()
	for {
		a := r.state.Next()
		if a.Verb == chain.DoNothing {
			return nil
		}
		err := context.Cause(ctx)
		if err == nil {
			err = r.do(ctx, a)
		}
		if cause := context.Cause(ctx); cause != nil && errors.Is(err, ctx.Err()) {
			err = cause // not every step knows why it was interrupted
		}
		if err != nil {
			return r.stop(ctx, err)
		}
	}
}

func (r *Relay) do(ctx context.Context, a chain.Action) error {
	if err := r.deleted(); err != nil {
		return err
	}
	if r.state.GaveBack && (a.Verb == chain.DoLook || a.Verb == chain.DoDraft || a.Verb == chain.DoGate || a.Reason == chain.Done) {
		if err := r.agent().Open(ctx); err != nil { // it was the relay that gave the handoff back, not the agent
			return err
		}
	}
	if a.Verb != chain.DoLook {
		if err := r.unchanged(); err != nil {
			return err
		}
	}
	if found, err := r.holds(a); found || err != nil {
		return err
	}
	switch a.Verb {
	case chain.DoWait:
		return r.wait(ctx, a)
	case chain.DoLink:
		return r.link(ctx, a)
	case chain.DoTurn:
		return r.turn(ctx, a.Turn)
	case chain.DoGate:
		return r.gate(ctx)
	case chain.DoAsk:
		return r.ask(ctx)
	case chain.DoLook:
		return r.look(ctx)
	case chain.DoDraft:
		return r.draft(ctx, a.Why)
	}
	return r.end(ctx, a)
}

// end ends the relay. Work that is done is recorded as done now, because an agent only says so.
func (r *Relay) end(ctx context.Context, a chain.Action) error {
	if a.Reason == chain.Done {
		switch lost, err := r.task.Finish(ctx, &r.state.Gate.Evidence); {
		case err != nil:
			return err
		case lost:
			a.Reason, a.Why = chain.Lost, r.state.Ref()+" is claimed by another session now"
		}
	}
	if err := r.task.Release(ctx, "relay ended: "+chain.OneLine(cmp.Or(a.Why, string(a.Reason)))); err != nil {
		return err
	}
	return r.record(chain.Fact{Kind: chain.Ended, Reason: a.Reason, Why: a.Why})
}

// draft writes a handoff for an agent that has left none. If it did nothing, there is none to
// write: another agent would start with no more than this one had.
func (r *Relay) draft(ctx context.Context, why string) error {
	faulty := ""
	if l := r.state.Left; l != nil && len(l.Findings) > 0 {
		faulty = l.Handoff
	}
	path, err := r.task.Written(ctx, faulty) // before the relay was killed, perhaps
	if err == nil && path == "" {
		path, err = writeDraft(ctx, r.ws, &r.state, r.agentNamed(r.state.Agent).Stream, why, outputs(ctx, r.ws, r.state.Thread))
	}
	if err != nil {
		return err
	}
	r.keep(ctx)
	if path == "" {
		return r.record(chain.Fact{Kind: chain.Drafted, Why: chain.OneLine(why)})
	}
	if err := r.task.Supersede(ctx, path); err != nil {
		return err
	}
	return r.record(chain.Fact{Kind: chain.Drafted, Handoff: path, Why: chain.OneLine(why)})
}

// keep keeps what the agent of the link has left uncommitted: the next one, or a person who
// resets the tree, may change it. A relay does not end because of that.
func (r *Relay) keep(ctx context.Context) {
	_, err := r.ws.KeepWork(ctx, workspace.WorkOf{Task: r.state.Plan.Task, By: "relay"})
	if err != nil && r.ws.Options.Say != nil && ctx.Err() == nil { // a relay that is stopped keeps it then
		r.ws.Options.Say(err.Error())
	}
}

// stop records why this process ends before the relay does. The handoff waits again.
func (r *Relay) stop(ctx context.Context, err error) error {
	r.keep(context.WithoutCancel(ctx))
	return errors.Join(err, r.record(chain.Fact{Kind: chain.Stopped, Why: chain.OneLine(err.Error())}), r.task.Release(context.WithoutCancel(ctx), "relay stopped"))
}

// link begins the next link. Its claim's id is chosen now, so that the claim is known
// again if the relay is killed before it can record it.
func (r *Relay) link(ctx context.Context, of chain.Action) error {
	if of.Handoff == r.state.Handoff && r.state.Link > 0 { // the agent before did nothing with it
		if err := r.task.Release(ctx, chain.OneLine(r.state.Why)); err != nil {
			return err
		}
	}
	known, err := r.task.Documents(ctx)
	if err != nil {
		return err
	}
	before, err := r.settings()
	if err != nil {
		return err
	}
	n := r.state.Link + 1
	a := r.agentOf(n)
	if of.Agent != "" {
		a = r.agentNamed(of.Agent)
	}
	r.work = nil
	return r.record(chain.Fact{Kind: chain.LinkBegun, Link: n, Agent: a.Name, Resumes: len(a.Resume) > 0, Handoff: of.Handoff, ClaimID: r.ws.NewID(), Known: known, Tree: tree(ctx, r.ws), Mark: place(r.ws).Mark(), Settings: before})
}

// agent is the agent of the link, in this process.
func (r *Relay) agent() *turn.Agent {
	if r.work == nil {
		r.o.Twin = r.twin
		r.work = turn.New(r.ws, &r.state, r.agentNamed(r.state.Agent), r.record, r.o.Options)
	}
	return r.work
}

// agentNamed is the agent with this name.
func (r *Relay) agentNamed(name string) agents.Agent {
	if i := slices.IndexFunc(r.o.Agents, func(a agents.Agent) bool { return a.Name == name }); i >= 0 {
		return r.o.Agents[i]
	}
	return r.agentOf(r.state.Link)
}

// agentOf is the agent of the plan for a link.
func (r *Relay) agentOf(link int) agents.Agent { return r.o.Agents[min(link, len(r.o.Agents))-1] }
