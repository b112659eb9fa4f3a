package httpapi

import (
	"context"
	"strings"

	"handoff/log/thread"
	"handoff/surface/problem"
	"handoff/workspace/handoffops"
	"handoff/workspace/receipts"
)

// ForPages is what pages for people get of the server, so that what they do goes the way of its routes.
type ForPages struct {
	Stream Stream
	// Handoffs performs operations on handoffs as the routes do, for a caller whose claims are known.
	Handoffs func(receipts.Caller) handoffops.Place
	// Problem is the answer of a route to an error.
	Problem func(error) problem.Problem
	// Retry runs the command of the server for a message of a thread that has had a run. It is nil without a
	// command: then the runs acknowledge messages, and none fails.
	Retry  func(ctx context.Context, threadID, messageID string) (run string, err error)
	Runner string // that command, as a user would type it
}

func (s *Server) forPages() ForPages {
	f := ForPages{Stream: s.stream, Problem: problemOf,
		Handoffs: func(who receipts.Caller) handoffops.Place { return pagePlace{s, who} }}
	if len(s.Command) > 0 {
		f.Retry, f.Runner = s.retry, strings.Join(s.Command[min(2, len(s.Command)-1):], " ") // without `sh -c`
	}
	return f
}

// pagePlace performs operations for a person in a browser.
type pagePlace struct {
	*Server
	who receipts.Caller
}

func (p pagePlace) Perform(ctx context.Context, o handoffops.Operation, ref string, request, result any) error {
	ctx, done := context.WithCancel(ctx)
	defer done() // closes the workspace
	at, err := p.handoffs(ctx)
	if err != nil {
		return err
	}
	at.Who = p.who
	g, a := p.handoffGroup(), o.Described()
	err = o.Run(ctx, at, ref, request, result)
	g.after(a, result, err)
	return g.problem(err, a)
}

// retry starts another run for a message.
func (s *Server) retry(ctx context.Context, threadID, messageID string) (run string, err error) {
	o := s.runOptions(threadID)
	o.MessageID = messageID
	started, err := s.startRun(context.WithoutCancel(ctx), o, thread.MessageRequest{})
	if err != nil {
		return "", threadProblem(err, "the run cannot be started")
	}
	if !started.Ended() {
		s.finish(started)
	}
	return started.ID, nil
}
