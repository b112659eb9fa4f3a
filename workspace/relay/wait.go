package relay

import (
	"context"
	"errors"
	"os"
	"time"

	"handoff/agents"
	"handoff/log/receipt"
	"handoff/log/thread/runner"
	"handoff/workspace/relay/chain"
	"handoff/workspace/relay/log"
	"handoff/workspace/spawn"
)

// lookEvery is how often a relay that waits looks at the clock, which another process or a machine
// that slept may have moved, and whether it was stopped.
const lookEvery = 500 * time.Millisecond

// holds records that the account of an agent has no usage left, if another process found that out
// and the relay is about to start an agent. The claim of a turn that waits is kept.
func (r *Relay) holds(a chain.Action) (found bool, err error) {
	if r.o.IgnoreLimit || a.Verb != chain.DoLink && a.Verb != chain.DoTurn {
		return false, nil
	}
	list := r.o.Agents
	if a.Verb == chain.DoTurn {
		list = []agents.Agent{r.agentNamed(r.state.Agent)}
	}
	for _, one := range list {
		h, held := spawn.HoldOf(r.getenv(), one, r.now())
		if !held || !h.Until.After(r.state.Limits[one.Name]) {
			continue
		}
		if err := r.record(chain.Fact{Kind: chain.Held, Agent: one.Name, Until: h.Until, Why: h.Why}); err != nil {
			return true, err
		}
		found = true
	}
	return found, nil
}

func (r *Relay) getenv() func(string) string {
	if r.o.Getenv == nil {
		return os.Getenv
	}
	return r.o.Getenv
}

// wait waits until a time. The wait is recorded first, so that a relay that is killed goes on with it.
// A claim is renewed meanwhile: the work is not free.
func (r *Relay) wait(ctx context.Context, a chain.Action) error {
	if r.state.Waiting == nil {
		if err := r.record(chain.Fact{Kind: chain.Waits, Until: a.Until, Why: chain.OneLine(a.Why), Turn: a.Turn}); err != nil {
			return err
		}
	}
	if a.Turn != "" {
		holding, stop, err := r.hold(ctx)
		if err != nil {
			return err
		}
		defer stop()
		ctx = holding
	}
	if err := r.sleep(ctx, a.Until); err != nil && !errors.Is(err, receipt.ErrRefused) { // one that lost its claim finds that in its turn
		return err
	}
	return r.record(chain.Fact{Kind: chain.Woke})
}

// hold renews the claim of the link while no agent runs, until it is stopped. The returned context ends
// when another claim has replaced it. Work that is finished needs none.
func (r *Relay) hold(ctx context.Context) (holding context.Context, stop func(), err error) {
	s := &r.state
	if s.Claim == "" || s.Left != nil && s.Left.State == receipt.Done {
		return ctx, func() {}, nil
	}
	if err := r.agent().Open(ctx); err != nil {
		return ctx, nil, err
	}
	holding, stop = r.agent().Hold(ctx)
	return holding, stop, nil
}

// sleep waits until a time by the clock of the workspace, or until the relay is stopped.
func (r *Relay) sleep(ctx context.Context, until time.Time) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for r.now().Before(until) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
	return nil
}

// ErrStopped is the kind of the error of a relay that another process has stopped.
var ErrStopped = errors.New("stopped by `handoff relay --stop`")

// stopped is that error: the agent gets an interrupt.
type stopped struct{}

func (stopped) Error() string   { return ErrStopped.Error() }
func (stopped) Unwrap() []error { return []error{ErrStopped, runner.Signal{Signal: os.Interrupt}} }

// listen ends a context when another process asks the relay to stop. It keeps the journal in its place meanwhile: what
// fails there is reported by the next fact.
func (r *Relay) listen(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = r.book.Restore()
				if log.Asked(r.ws, r.ID) {
					cancel(stopped{})
				}
			}
		}
	}()
	return ctx, func() { cancel(nil); <-done }
}
