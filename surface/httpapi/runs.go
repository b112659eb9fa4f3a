package httpapi

import (
	"context"
	"sync"
	"time"

	"handoff/thread"
	"handoff/thread/runner"
)

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

// reap closes the runs whose process was killed, other processes' too, until the
// server ends: whoever follows one waits for its end. What goes on to fail is
// told once.
func (s *Server) reap(ctx context.Context) {
	tick := time.NewTicker(s.Reap)
	defer tick.Stop()
	for told := ""; ; {
		select {
		case <-s.end:
			return
		case <-tick.C:
		}
		failure := ""
		if err := s.Threads.Reap(ctx); err != nil {
			failure = err.Error()
		}
		if failure != "" && failure != told {
			s.Log.Warn(failure)
		}
		told = failure
	}
}

// finish sees a run through that has begun.
func (s *Server) finish(run *runner.Run) {
	ctx, cancel := context.WithCancel(s.later.ctx)
	s.sessions.running(run.ID, false, cancel)
	s.background(func(context.Context) {
		defer cancel()
		defer s.sessions.ended(run.ID)
		result, err := run.Finish(ctx)
		if err != nil && ctx.Err() == nil {
			s.Log.Error("run failed", "run", run.ID, "error", err)
		}
		for _, text := range result.Wrong {
			s.Log.Warn("the runner's report", "run", run.ID, "problem", text)
		}
	})
}

// acknowledge is the run of a session that stands in no thread: it has no
// context that a command could be given. It says "ack: " and the input, as
// RIP without a provider does, so that its clients complete.
func (s *Server) acknowledge(id, input string) {
	ctx, cancel := context.WithCancel(s.later.ctx)
	s.sessions.running(id, true, cancel)
	s.background(func(context.Context) {
		defer cancel()
		defer s.sessions.ended(id)
		reason := runner.Cancelled
		if ctx.Err() == nil {
			reason = runner.Completed
		}
		payloads := []thread.Payload{&thread.OutputDelta{Delta: "ack: " + input}, &thread.SessionEnded{Reason: reason}}
		if reason == runner.Cancelled {
			payloads = payloads[1:]
		}
		if _, err := s.Threads.Store.AppendSession(context.WithoutCancel(ctx), id, payloads...); err != nil {
			s.Log.Error("the end of a run was not stored", "run", id, "error", err)
		}
	})
}
