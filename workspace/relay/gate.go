package relay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"handoff/agents/transcript"
	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/log/receipt"
	"handoff/workspace/draft"
	"handoff/workspace/gate"
	"handoff/workspace/prove"
	"handoff/workspace/relay/chain"
	"handoff/workspace/relay/word"
)

// turn runs the agent. Before it works again, its word that it is done is forgotten.
func (r *Relay) turn(ctx context.Context, t chain.Turn) error {
	if t == chain.Prove {
		if err := r.task.TakeBack(ctx); err != nil {
			return err
		}
	}
	return r.agent().Run(ctx, t)
}

// look finds out what the agent has left. If it has not acknowledged the handoff that it continued,
// what it did may show that it read it.
func (r *Relay) look(ctx context.Context) error {
	left, err := r.task.Look(ctx)
	if err == nil && left.Handoff != "" && len(left.Findings) == 0 && !left.Acked {
		left.Began, err = began(r.task.FirstAction(), r.agentOf(r.state.Link).Stream, outputs(ctx, r.ws, r.state.Thread))
	}
	if err != nil {
		return err
	}
	r.keep(ctx)
	return r.record(chain.Fact{Kind: chain.Looked, Left: left})
}

// gate finds out whether the work is done that the agent says is done. The claim is renewed
// meanwhile, because tests may take longer than a lease. If it is lost, nothing is decided here.
func (r *Relay) gate(ctx context.Context) error {
	p, of := r.state.Plan, handoff.ParseName(r.state.Handoff)
	holding, stop, err := r.hold(ctx)
	if errors.Is(err, receipt.ErrRefused) {
		return r.look(ctx) // which finds who has the claim
	}
	if err != nil {
		return err
	}
	defer stop()
	found, err := gate.Check(holding, r.ws, gate.Request{Commands: r.o.Until, AtLeast: checkTime, Dir: cmp.Or(of.Dir, r.folder(ctx)), Phase: of.Phase, Commits: p.Commits, Before: p.Uncommitted, Base: p.Base})
	if ctx.Err() == nil && errors.Is(context.Cause(holding), receipt.ErrRefused) {
		return r.look(ctx)
	}
	if err != nil {
		return err
	}
	if len(found.Checks) == 0 {
		found.None = "no command checks it"
		if found.Seen, err = r.seen(ctx); err != nil {
			return err
		}
	}
	g := &chain.Gate{Evidence: found.Evidence, Output: chain.Shorten(found.Output)}
	for _, why := range found.Refused() {
		g.Refused = append(g.Refused, chain.OneLine(why))
	}
	return r.record(chain.Fact{Kind: chain.Gated, Gate: g})
}

// seen says what the output of the agent shows of its work, "" if that is plain text.
func (r *Relay) seen(ctx context.Context) (string, error) {
	stream := r.agentOf(r.state.Link).Stream
	if transcript.Formats[stream] == nil {
		return "", nil
	}
	did, err := didIn(stream, outputs(ctx, r.ws, r.state.Thread))
	switch {
	case err != nil:
		return "", err
	case !draft.Worked(did):
		return "it changed no file and ran no command", nil
	}
	return chain.OneLine(did.Seen(r.ws.Root, r.ws.Keeps).String()), nil
}

// checkTime is what a command may take that decides whether the work is done: all tests of a project,
// not the one check of an item for which checks.timeout is made.
const checkTime = 20 * time.Minute

// folder is that of the task, which an agent may have created; "" for none.
func (r *Relay) folder(ctx context.Context) string {
	dirs, err := r.ws.TasksOf(ctx, r.ws.Root, strconv.Itoa(r.state.Plan.Task))
	if err != nil || len(dirs) != 1 {
		return r.state.Plan.Dir
	}
	return dirs[0]
}

// ask waits for a person: the handoff is given back meanwhile, and the question is shown where
// people look. The process may end; an answer continues the relay.
func (r *Relay) ask(ctx context.Context) error {
	s := &r.state
	if err := r.task.Release(ctx, "asks: "+chain.OneLine(s.Question)); err != nil {
		return err
	}
	if err := r.publish(s.Question); err != nil {
		return err
	}
	return r.record(chain.Fact{Kind: chain.Asking, Question: s.Question}) // a command that is told of it finds the question
}

// publish shows the question for which the relay waits.
func (r *Relay) publish(question string) error {
	book, ok := word.To(r.ws, r.ID)
	if !ok {
		return fmt.Errorf("%w: relay %s has no journal", handoff.ErrInvalid, r.ID)
	}
	s := &r.state
	return book.Ask(word.Asks{Relay: r.ID, Task: s.Plan.Task, Slug: s.Plan.Slug, Agent: s.Agent, Question: question, At: r.now()})
}

// settle takes back the questions of relays: they are answered, or another relay does the work.
func (r *Relay) settle(ids ...string) error {
	for _, id := range ids {
		if book, ok := word.To(r.ws, id); ok {
			if err := book.Settle(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Asks returns the question for which the relay waits; "" if it does not.
func (r *Relay) Asks() string { return r.state.Asks }

// answer records the answer of a person.
func (r *Relay) answer(text string) error {
	if err := r.record(chain.Fact{Kind: chain.Answered, Answer: text}); err != nil {
		return err
	}
	return r.settle(r.ID)
}

// maxUncommitted is the most files that a plan names. With more, what is committed cannot be told
// from what was there before.
const maxUncommitted = 1000

// begun completes a plan with how the working tree is: its commit, and the files that are not committed, which are the user's.
func (r *Relay) begun(ctx context.Context, p *chain.Plan) {
	state, err := gitindex.Current(ctx, r.ws.Root)
	p.Base, p.Uncommitted = state.Commit, prove.Uncommitted(state)
	if err != nil || state.Commit == "" || len(p.Uncommitted) > maxUncommitted {
		p.Commits, p.Base, p.Uncommitted = false, "", nil
	}
}
