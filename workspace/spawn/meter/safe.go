package meter

import (
	"cmp"
	"errors"
	"os"
	"time"

	"handoff/log/thread/runner"
)

// Patience is how long an interruption waits for a tool that the agent has just started: a commit or a
// migration that is cut in the middle harms more than some tokens.
const Patience = 5 * time.Minute

// stopAt interrupts the agent because of an error of Watch, at the next safe point: what each call
// used is reported together with the tools that it starts, so an interruption at once would kill
// them. The end of the last one is safe, and so is the time in which no tool runs.
type stopAt struct {
	fired bool
	timer *time.Timer
}

// interruptFor decides to interrupt the agent. Its caller holds the lock.
func (m *Meter) interruptFor(why error) {
	m.stopped = why
	if now, ok := errors.AsType[interface {
		error
		AtOnce() bool
	}](why); ok && now.AtOnce() {
		m.fire()
		return
	}
	if m.settled(); m.safe.fired {
		return
	}
	m.safe.timer = time.AfterFunc(cmp.Or(m.patience, Patience), func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.fire()
	})
}

// settled interrupts the agent if that is decided, and no tool runs.
func (m *Meter) settled() {
	if m.stopped != nil && len(m.said.running) == 0 {
		m.fire()
	}
}

func (m *Meter) fire() {
	if m.safe.fired {
		return
	}
	m.safe.fired = true
	m.interrupt(errors.Join(runner.Signal{Signal: os.Interrupt}, m.stopped))
}

// ended ends the wait. An agent that has ended by itself before it was interrupted was not stopped.
func (m *Meter) ended() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.safe.timer != nil {
		m.safe.timer.Stop()
	}
	if !m.safe.fired {
		m.stopped, m.safe.fired = nil, true
	}
}
