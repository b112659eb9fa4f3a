package turn

import (
	"context"
	"errors"
	"fmt"

	"handoff/agents/transcript/gauge"
	"handoff/log/receipt"
	"handoff/log/thread/runner"
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

// AtOnce reports whether a tool that runs is not waited for: the agent was told to stop.
func (i *interruption) AtOnce() bool { return i.end == chain.Failed }

// watcher decides when an agent is interrupted. It starts no process and reads no file.
type watcher struct {
	state    *chain.State // when the turn began
	turn     chain.Turn
	calls    int         // of the model that a turn may take in which the agent only writes a handoff
	finished func() bool // whether the agent has recorded that its work is done
	gauge    gauge.State
	told     bool // that the window is unknown
}

// urgent is the mark of the gauge at which an agent is asked for a handoff.
const urgent = 2

// step returns why the agent is interrupted after it has used more: its context runs low,
// a budget is used up, or it does not stop after it was asked to. An agent whose work is
// done ends by itself. The result is nil if the agent continues; unknown is true once if
// nothing can tell when its context runs low.
func (w *watcher) step(p meter.Progress) (why *interruption, unknown bool) {
	if w.turn == chain.Ask || w.turn == chain.Fix {
		if p.Turn.Calls > w.calls {
			return &interruption{chain.Failed, fmt.Sprintf("it did not stop within %d calls after it was asked to", w.calls)}, false
		}
		return nil, false
	}
	if used := w.state.BudgetWith(p.Turn.Tokens, p.Turn.USD); used != "" {
		return &interruption{chain.OverLimit, used + " is used up"}, false
	}
	unknown = p.Limit == 0 && p.Used > 0 && !w.told
	w.told = w.told || unknown
	next, kind, note := w.gauge.Step(p.Reading)
	w.gauge = next
	if note && low(kind, p.Mark) && !w.state.Asked && !w.finished() {
		return &interruption{chain.Low, p.Reason(kind)}, unknown
	}
	return nil, unknown
}

// low reports whether a note of the gauge means that the agent should hand off.
func low(kind gauge.Kind, mark int) bool {
	return kind == gauge.Compacted || kind == gauge.Mark && mark >= urgent
}

// ended returns the fact of a turn that has ended with err, and the error for the caller of
// the relay. The fact is nil if the turn is not over for the relay, which then stops with
// the error. relay ends if the relay is stopped, turn also when the turn's time is up.
func ended(relay, turn context.Context, out *spawn.Outcome, err error) (*chain.Fact, error) {
	f := &chain.Fact{Kind: chain.TurnEnded, Run: out.RunID, Exit: out.ExitCode, Tokens: out.Used.Tokens, USD: out.Used.USD}
	_, stale := errors.AsType[*receipt.StaleError](err)
	switch {
	case context.Cause(relay) != nil:
		f.End = chain.Signalled
		return f, context.Cause(relay)
	case stale:
		f.End, f.Why = chain.Failed, chain.OneLine(err.Error())
		return f, nil
	case err != nil && !errors.Is(err, turn.Err()): // if the time is up before the agent starts, the turn has failed
		return nil, err
	}
	switch f.End, f.Why = endOf(context.Cause(turn), out); f.End {
	case chain.Failed:
		f.Ended, f.Until = out.Ended, out.Until
	case chain.Completed:
		f.Question = chain.QuestionOf(out.Said)
	}
	return f, nil
}

// maxPrinted is the longest text that is a message of a program, and not its work.
const maxPrinted = 400

// endOf returns how a turn ended.
func endOf(cause error, out *spawn.Outcome) (chain.End, string) {
	if i, ok := errors.AsType[*interruption](errors.Join(out.Stopped, cause)); ok {
		return i.end, i.why
	}
	switch {
	case out.Failed != "":
		return chain.Failed, chain.OneLine(out.Failed)
	case out.Run.Reason != runner.Completed:
		return chain.Failed, out.Run.Reason
	case out.Used.Tokens == 0 && out.Said != "" && len(out.Said) <= maxPrinted: // no model has worked, as far as is known
		return chain.Completed, chain.OneLine("it printed: " + out.Said)
	}
	return chain.Completed, ""
}
