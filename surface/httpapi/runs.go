package httpapi

import (
	"context"
	"sync"
	"time"

	"handoff/log/thread"
	"handoff/log/thread/runner"
)

// background is work that outlives its request.
type background struct {
	all    sync.WaitGroup
	ctx    context.Context // cancelled when the work must end
	cancel context.CancelFunc
}

// drain waits until all work has ended, and cancels it when grace ends.
func (b *background) drain(grace context.Context) {
	defer b.cancel()
	stop := context.AfterFunc(grace, b.cancel)
	defer stop()
	b.all.Wait()
}

// inBackground runs f, which outlives its request.
func (s *Server) inBackground(f func(context.Context)) {
	s.background.all.Go(func() { f(s.background.ctx) })
}

// reap closes the runs whose process was killed, in this process or another,
// until the server stops: clients that follow a run wait for its end. A repeated
// failure is logged once.
func (s *Server) reap(ctx context.Context) {
	tick := time.NewTicker(s.Reap)
	defer tick.Stop()
	for logged := ""; ; {
		select {
		case <-s.end:
			return
		case <-tick.C:
		}
		failure := ""
		if err := s.Threads.Reap(ctx); err != nil {
			failure = err.Error()
		}
		if failure != "" && failure != logged {
			s.Log.Warn(failure)
		}
		logged = failure
	}
}

// finish completes a run that was started.
func (s *Server) finish(run *runner.Run) {
	ctx, cancel := context.WithCancel(s.background.ctx)
	s.sessions.running(run.ID, false, cancel)
	s.inBackground(func(context.Context) {
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

// acknowledge is the run of a session without a thread, which has no context for
// a command. Its output is "ack: " and the input, as by RIP without a provider,
// so that RIP's clients complete.
func (s *Server) acknowledge(id, input string) {
	ctx, cancel := context.WithCancel(s.background.ctx)
	s.sessions.running(id, true, cancel)
	s.inBackground(func(context.Context) {
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
