package turn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"handoff/log/thread/runner"
	"handoff/workspace/relay/chain"
	"handoff/workspace/relay/log"
	"handoff/workspace/relay/word"
	"handoff/workspace/spawn"
	"handoff/workspace/spawn/meter"
)

// Run runs the agent once.
func (a *Agent) Run(ctx context.Context, t chain.Turn) error {
	if err := a.Open(ctx); err != nil {
		return err
	}
	if err := a.reopen(ctx); err != nil {
		return err
	}
	prompt := promptOf(a.state, t, a.prompt) + answered(a.state, t)
	if err := a.record(chain.Fact{Kind: chain.TurnBegun, Turn: t}); err != nil {
		return err
	}
	within, cancel := limited(ctx, t, a.o.AskTime)
	defer cancel()
	w := &watcher{state: a.state, turn: t, calls: a.o.AskCalls, finished: func() bool { return a.said() || a.work.Finished(within) }}
	c := clocksOf(a.state, t)
	a.failed = nil
	out, err := a.work.Turn(within, spawn.Turn{Prompt: prompt, Resume: t != chain.Begin, Session: a.ws.NewID(), Watch: func(p meter.Progress) error { return a.watch(w, p) },
		Beat: func(p meter.Pulse) error { return a.beat(c, p) }})
	if a.failed != nil { // a fact could not be recorded
		return a.failed
	}
	f, err := ended(ctx, within, &out, err)
	if f == nil {
		return err
	}
	for _, p := range log.LeftRunning(a.ws)[a.o.Relay] {
		f.LeftRunning = append(f.LeftRunning, p.Command)
	}
	return errors.Join(err, a.record(*f))
}

// said reports whether the agent has told the relay that its work is done.
func (a *Agent) said() bool {
	book, ok := word.To(a.ws, a.o.Relay)
	if !ok {
		return false
	}
	said, _ := book.Read() // what cannot be read has not been said
	return said.Of(a.state.Handoff)
}

// limited limits the time of a turn in which the agent only writes a handoff.
func limited(ctx context.Context, t chain.Turn, limit time.Duration) (context.Context, context.CancelFunc) {
	if t != chain.Ask && t != chain.Fix {
		return ctx, func() {}
	}
	late := &interruption{chain.Failed, fmt.Sprintf("it did not stop within %s after it was asked to", limit)}
	return context.WithTimeoutCause(ctx, limit, errors.Join(runner.Signal{Signal: os.Interrupt}, late))
}

// watch returns why the agent is interrupted: a fact that could not be recorded, or the
// watcher's reason.
func (a *Agent) watch(w *watcher, p meter.Progress) error {
	if a.failed != nil {
		return a.failed
	}
	why, unknown := w.step(p)
	if unknown {
		a.event(meter.Event{Kind: "unknown_window", Model: p.Model})
	}
	if why == nil {
		return nil
	}
	return why
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
