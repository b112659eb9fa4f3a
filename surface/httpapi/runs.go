package httpapi

import (
	"context"
	"sync"

	"handoff/thread"
	"handoff/workspace"
)

// Run is a run that a request has started: its stream is there and begins
// with its input.
type Run struct {
	Threads   *workspace.Threads
	SessionID string
	Input     string
	ThreadID  string // "" for a session of no thread
	MessageID string // of the message that it is for
	ActorID   string
	Origin    string
}

// Runner does a run: it appends what the run says, all but its end, and
// returns the reason that it ended for. When ctx ends it is to stop.
type Runner func(ctx context.Context, r Run) (reason string)

// The reasons of ends.
const (
	completed = "completed"
	cancelled = "cancelled"
	failed    = "failed"
)

// Acknowledge is the runner without a provider: it says "ack: " and the input,
// as RIP does, so that its clients complete.
func Acknowledge(ctx context.Context, r Run) string {
	if _, err := r.Threads.Store.AppendSession(ctx, r.SessionID, &thread.OutputDelta{Delta: "ack: " + r.Input}); err != nil {
		return failed
	}
	return completed
}

// later is what goes on after a request was answered.
type later struct {
	all    sync.WaitGroup
	ctx    context.Context // ends when they are to
	cancel context.CancelFunc
}

// drain waits until all have ended, and tells them to when the time is up.
func (t *later) drain(grace context.Context) {
	defer t.cancel()
	stop := context.AfterFunc(grace, t.cancel)
	defer stop()
	t.all.Wait()
}

// background does something that outlives its request.
func (s *Server) background(f func(context.Context)) {
	s.later.all.Go(func() { f(s.later.ctx) })
}

// start begins a run whose stream is there.
func (s *Server) start(r Run) {
	ctx, cancel := context.WithCancel(s.later.ctx)
	s.sessions.running(r.SessionID, r.ThreadID == "", cancel)
	s.background(func(context.Context) {
		defer cancel()
		defer s.sessions.ended(r.SessionID)
		reason := s.Run(ctx, r)
		if ctx.Err() != nil {
			reason = cancelled
		}
		s.finish(r, reason)
	})
}

// finish writes the ends of a run: of its stream, then in its thread. They are
// written also when the server ends.
func (s *Server) finish(r Run, reason string) {
	ctx := context.WithoutCancel(s.later.ctx)
	if _, err := s.Threads.Store.AppendSession(ctx, r.SessionID, &thread.SessionEnded{Reason: reason}); err != nil {
		s.Log.Error("the end of a run was not kept", "session", r.SessionID, "error", err)
	}
	if r.ThreadID == "" {
		return
	}
	if _, err := s.Threads.Store.EndRun(ctx, r.ThreadID, r.SessionID, reason, r.ActorID, r.Origin); err != nil {
		s.Log.Error("the end of a run was not kept", "thread", r.ThreadID, "session", r.SessionID, "error", err)
	}
}
