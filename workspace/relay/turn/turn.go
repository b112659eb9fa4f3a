package turn

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

// Run runs the agent once.
func (a *Agent) Run(ctx context.Context, t chain.Turn) error {
	if err := a.Open(ctx); err != nil {
		return err
	}
	prompt := promptOf(a.state, t, a.prompt)
	if err := a.record(chain.Fact{Kind: chain.TurnBegun, Turn: t}); err != nil {
		return err
	}
	within := ctx
	if t == chain.Ask || t == chain.Fix {
		late := &interruption{chain.Failed, fmt.Sprintf("it did not stop within %s after it was asked to", a.o.AskTime)}
		limited, cancel := context.WithTimeoutCause(ctx, a.o.AskTime, errors.Join(runner.Signal{Signal: os.Interrupt}, late))
		defer cancel()
		within = limited
	}
	w := watcher{agent: a, turn: t}
	a.failed = nil
	out, err := a.work.Turn(within, spawn.Turn{Prompt: prompt, Resume: t != chain.Begin, Watch: func(p meter.Progress) error { return w.watch(within, p) }})
	f := chain.Fact{Kind: chain.TurnEnded, Run: out.RunID, Exit: out.ExitCode, Tokens: out.Used.Tokens, USD: out.Used.USD}
	_, stale := errors.AsType[*receipt.StaleError](err)
	switch {
	case a.failed != nil: // a fact could not be recorded
		return a.failed
	case context.Cause(ctx) != nil:
		f.End = chain.Signalled
		return errors.Join(context.Cause(ctx), a.record(f))
	case stale:
		f.End, f.Why = chain.Failed, chain.OneLine(err.Error())
		return a.record(f)
	case err != nil && !errors.Is(err, within.Err()): // if the time is up before the agent starts, the turn has failed
		return err
	}
	f.End, f.Why = endOf(context.Cause(within), &out)
	return a.record(f)
}

// endOf is how a turn ended.
func endOf(cause error, out *spawn.Outcome) (chain.End, string) {
	if i, ok := errors.AsType[*interruption](errors.Join(out.Stopped, cause)); ok {
		return i.end, i.why
	}
	switch {
	case out.Failed != "":
		return chain.Failed, chain.OneLine(out.Failed)
	case out.Run.Reason != runner.Completed:
		return chain.Failed, out.Run.Reason
	}
	return chain.Completed, ""
}

// event passes on what the agent reports. The id of its session is recorded first.
func (a *Agent) event(e meter.Event) {
	if e.Kind == "session" && e.Session != a.state.Session && a.failed == nil {
		a.failed = a.record(chain.Fact{Kind: chain.Session, Session: e.Session})
	}
	if a.o.Event != nil {
		a.o.Event(e)
	}
}

// watcher decides when an agent is interrupted.
type watcher struct {
	agent *Agent
	turn  chain.Turn
	gauge gauge.State
	told  bool // that it is not known when little is left
}

// urgent is the mark of the gauge at which an agent is asked for a handoff.
const urgent = 2

// watch interrupts an agent whose context runs low, that has used up a budget, or that
// does not stop after it was asked to. One whose work is done ends by itself.
func (w *watcher) watch(ctx context.Context, p meter.Progress) error {
	a := w.agent
	if a.failed != nil {
		return a.failed
	}
	if w.turn == chain.Ask || w.turn == chain.Fix {
		if p.Turn.Calls > a.o.AskCalls {
			return &interruption{chain.Failed, fmt.Sprintf("it did not stop within %d calls after it was asked to", a.o.AskCalls)}
		}
		return nil
	}
	if used := a.state.BudgetWith(p.Turn.Tokens, p.Turn.USD); used != "" {
		return &interruption{chain.OverLimit, used + " is used up"}
	}
	if p.Limit == 0 && p.Used > 0 && !w.told {
		w.told = true
		a.event(meter.Event{Kind: "unknown_window", Model: p.Model})
	}
	next, kind, note := w.gauge.Step(p.Reading)
	w.gauge = next
	if note && !a.state.Asked && (kind == gauge.Mark && p.Mark >= urgent || kind == gauge.Compacted) && !a.work.Finished(ctx) {
		return &interruption{chain.Low, p.Reason(kind)}
	}
	return nil
}
