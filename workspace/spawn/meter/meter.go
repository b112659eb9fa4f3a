// Package meter reads what a running agent prints and reports, and what it uses.
package meter

import (
	"cmp"
	"context"
	"os"
	"sync"
	"time"

	"handoff/agents"
	"handoff/agents/sessions"
	"handoff/agents/transcript"
	"handoff/agents/transcript/gauge"
)

// Progress is what an agent has used.
type Progress struct {
	gauge.Reading                  // of its context
	Turn          transcript.Total // in this turn
	Model         string           // of its context
}

// Meter reads what an agent prints, and its gauge: from the stream, or from the
// agent's transcript if the stream does not report what each call used.
type Meter struct {
	watch     func(Progress) error
	beat      func(Pulse) error
	interrupt context.CancelCauseFunc
	agent     agents.Agent
	getenv    func(string) string
	resumed   bool
	patience  time.Duration
	chosen    string // id of the new session, if we chose it

	mu      sync.Mutex
	said    stream
	file    *sessions.Session // the transcript, nil until it is found
	id      string            // of the session that file was found by: its first line may not be written yet
	before  transcript.Total  // of the transcript before this turn
	used    transcript.Total  // by the session before this turn
	last    transcript.Total  // that was reported
	found   string            // the session that was chosen, once its transcript exists
	stopped error
	safe    stopAt
	stop    chan struct{}
	done    sync.WaitGroup
}

// pollEvery is how often a transcript is read while the agent prints nothing.
const pollEvery = time.Second

// Options are what a meter needs of a turn.
type Options struct {
	Agent     agents.Agent
	Resumed   string               // the session that the turn resumes, "" for a new one
	Chosen    string               // the id that a new one was told to have, "" if the agent chooses it
	Used      transcript.Total     // by that session before the turn
	Getenv    func(string) string  // nil for [os.Getenv]
	Event     func(Event)          // gets what the agent reports
	Watch     func(Progress) error // its error interrupts the agent; may be nil
	Beat      func(Pulse) error    // the same, called every second; may be nil
	Interrupt context.CancelCauseFunc
	Patience  time.Duration // with a tool that runs when Watch interrupts the agent; 0 for [Patience]
}

// Start starts the meter of a turn. What the agent prints is written to it.
func Start(o Options) *Meter {
	m := &Meter{watch: o.Watch, beat: o.Beat, interrupt: o.Interrupt, agent: o.Agent, getenv: o.Getenv, resumed: o.Resumed != "", chosen: o.Chosen, patience: o.Patience,
		said: stream{format: transcript.Formats[o.Agent.Stream], emit: o.Event}, stop: make(chan struct{})}
	if m.getenv == nil {
		m.getenv = os.Getenv
	}
	if m.resumed {
		m.used = o.Used
		m.find(o.Resumed) // before the agent adds to it
	}
	if m.beat != nil || m.watch != nil && m.agent.Transcripts.Format != "" {
		m.done.Go(m.poll)
	}
	return m
}

// Write never fails: see [stream.Write].
func (m *Meter) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.said.Write(p)
	if lost := m.said.lost; lost != nil && m.stopped == nil {
		m.interruptFor(lost)
	}
	m.read()
	m.settled()
	return n, err
}

// Pulse is how far an agent has come: two that are equal show that nothing has happened.
type Pulse struct {
	Printed int64            // bytes
	Running int              // tools that it has called and that have not ended, as far as its stream shows it
	Used    transcript.Total // in this turn
}

// pulse passes the pulse on. Its caller holds the lock.
func (m *Meter) pulse() {
	if m.beat == nil || m.stopped != nil {
		return
	}
	if m.stopped = m.beat(Pulse{m.said.printed, len(m.said.running), m.total()}); m.stopped != nil {
		m.fire() // at once: what hangs reaches no safe point
	}
}

// poll reads the transcript until the turn ends.
func (m *Meter) poll() {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-m.stop:
			return
		case <-tick.C:
			m.update()
		}
	}
}

// update reads what is new in the transcript. Some agents continue a session in another
// file, so one that does not grow is looked for again.
func (m *Meter) update() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if before := m.last; m.file != nil {
		if m.read(); m.last == before {
			m.find(m.id)
		}
	}
	m.read()
	m.pulse()
}

// Report is what a turn has reported.
type Report struct {
	Session transcript.Session // by the agent's stream
	Said    string             // the agent's last text
	Stopped error              // of Watch, which interrupted the agent; nil if it did not
	Used    transcript.Total   // in this turn
	All     transcript.Total   // in all turns of the session
	Found   string             // the id of the session, as its transcript shows it; "" without
}

// Close reads the rest.
func (m *Meter) Close() Report {
	close(m.stop)
	m.done.Wait()
	m.said.end()
	m.ended()
	m.read()
	used := m.total()
	m.learn()
	return Report{m.said.session, m.said.last(), m.stopped, used, m.used.Plus(used), m.found}
}

// learn keeps what the agent has reported about its window. Without a place to write, the next turn
// has the same guess as this one.
func (m *Meter) learn() {
	for _, s := range []*transcript.Session{&m.said.session, m.session()} {
		_ = sessions.Learn(context.Background(), m.agent, s, m.getenv)
	}
}

// read reports what the agent has used, if that has changed.
func (m *Meter) read() {
	if m.watch == nil || m.stopped != nil {
		return
	}
	session := m.session()
	now := m.total()
	if now == m.last {
		return
	}
	m.last = now
	r := sessions.ReadGauge(m.agent, session, 0, sessions.Progress{}, m.getenv)
	if why := m.watch(Progress{r, now, session.Model}); why != nil {
		m.interruptFor(why)
	}
}

// session is that of the stream, or of the transcript if only that has the usage
// of calls.
func (m *Meter) session() *transcript.Session {
	s := &m.said.session
	id := cmp.Or(s.ID, m.chosen)
	if s.Used > 0 || m.agent.Transcripts.Format == "" || id == "" {
		return s
	}
	if m.file == nil {
		m.find(id)
	}
	if m.file == nil {
		return s
	}
	if s.ID == "" && m.chosen != "" && m.found == "" { // not every host prints the id before the end
		m.found = m.chosen
		m.said.emit(Event{Kind: "session", Session: m.found})
	}
	_, _ = m.file.File.Update() // one that is replaced just now is read the next time
	return &m.file.File.Session
}

// find finds the transcript of a session.
func (m *Meter) find(session string) {
	f, err := sessions.Find([]agents.Agent{m.agent}, sessions.Query{Session: session, Getenv: m.getenv})
	if err != nil {
		return // not written yet
	}
	of := f.File.Session.Total
	switch {
	case m.file != nil && m.file.File.Path == f.File.Path:
		return
	case m.file != nil: // what the other file has of this turn was counted
		m.before = transcript.Total{Calls: of.Calls - m.last.Calls, Tokens: of.Tokens - m.last.Tokens}
	case m.resumed && m.last == (transcript.Total{}):
		m.before = of
	}
	m.file, m.id = &f, session
}

// total is what the agent has used in this turn.
func (m *Meter) total() transcript.Total {
	t := m.said.session.Total
	if m.file != nil {
		of := m.file.File.Session.Total
		t.Calls, t.Tokens = max(t.Calls, of.Calls-m.before.Calls), max(t.Tokens, of.Tokens-m.before.Tokens)
	}
	return t.Of(m.said.session.Reported, m.used)
}
