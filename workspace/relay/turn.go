package relay

import (
	"context"
	"errors"
	"fmt"
	"os"

	"handoff/receipt"
	"handoff/thread/runner"
	"handoff/transcript/gauge"
	"handoff/workspace/relay/chain"
	"handoff/workspace/spawn"
	"handoff/workspace/spawn/meter"
)

// interruption is why a relay interrupts an agent.
type interruption struct {
	end chain.End
	why string
}

func (i *interruption) Error() string { return i.why }

// turn runs the agent once.
func (r *Relay) turn(ctx context.Context, t chain.Turn) error {
	if err := r.open(ctx); err != nil {
		return err
	}
	prompt := promptOf(&r.state, t, r.prompt)
	if err := r.record(chain.Fact{Kind: chain.TurnBegun, Turn: t}); err != nil {
		return err
	}
	within := ctx
	if t == chain.Ask || t == chain.Fix {
		late := &interruption{chain.Failed, fmt.Sprintf("it did not stop within %s after it was asked to", r.o.AskTime)}
		limited, cancel := context.WithTimeoutCause(ctx, r.o.AskTime, errors.Join(runner.Signal{Signal: os.Interrupt}, late))
		defer cancel()
		within = limited
	}
	w := watcher{relay: r, turn: t}
	r.failed = nil
	out, err := r.work.Turn(within, spawn.Turn{Prompt: prompt, Resume: t != chain.Begin, Watch: w.watch})
	f := chain.Fact{Kind: chain.TurnEnded, Run: out.RunID, Exit: out.ExitCode, Tokens: out.Used.Tokens, USD: out.Used.USD}
	_, stale := errors.AsType[*receipt.StaleError](err)
	switch {
	case r.failed != nil: // a fact could not be recorded
		return r.failed
	case context.Cause(ctx) != nil:
		f.End = chain.Signalled
		return errors.Join(context.Cause(ctx), r.record(f))
	case stale:
		f.End, f.Why = chain.Failed, oneLine(err.Error())
		return r.record(f)
	case err != nil:
		return err
	}
	f.End, f.Why = endOf(context.Cause(within), &out)
	return r.record(f)
}

// endOf is how a turn ended.
func endOf(cause error, out *spawn.Outcome) (chain.End, string) {
	if i, ok := errors.AsType[*interruption](errors.Join(out.Stopped, cause)); ok {
		return i.end, i.why
	}
	switch {
	case out.Failed != "":
		return chain.Failed, oneLine(out.Failed)
	case out.Run.Reason != runner.Completed:
		return chain.Failed, out.Run.Reason
	}
	return chain.Completed, ""
}

// event passes on what the agent reports. The id of its session is recorded first.
func (r *Relay) event(e meter.Event) {
	if e.Kind == "session" && e.Session != r.state.Session && r.failed == nil {
		r.failed = r.record(chain.Fact{Kind: chain.Session, Session: e.Session})
	}
	if r.o.Event != nil {
		r.o.Event(e)
	}
}

// watcher decides when an agent is interrupted.
type watcher struct {
	relay *Relay
	turn  chain.Turn
	gauge gauge.State
}

// urgent is the mark of the gauge at which an agent is asked for a handoff.
const urgent = 2

// watch interrupts an agent whose context runs low, that has used up a budget, or that
// does not stop after it was asked to.
func (w *watcher) watch(p meter.Progress) error {
	r := w.relay
	if r.failed != nil {
		return r.failed
	}
	if w.turn == chain.Ask || w.turn == chain.Fix {
		if p.Turn.Calls > r.o.AskCalls {
			return &interruption{chain.Failed, fmt.Sprintf("it did not stop within %d calls after it was asked to", r.o.AskCalls)}
		}
		return nil
	}
	if used := r.state.BudgetWith(p.Turn.Tokens, p.Turn.USD); used != "" {
		return &interruption{chain.OverLimit, used + " is used up"}
	}
	next, kind, note := w.gauge.Step(p.Reading)
	w.gauge = next
	if note && !r.state.Asked && (kind == gauge.Mark && p.Mark >= urgent || kind == gauge.Compacted) {
		return &interruption{chain.Low, p.Reason(kind)}
	}
	return nil
}
