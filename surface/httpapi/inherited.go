package httpapi

import (
	"context"
	"errors"
	"iter"
	"strconv"

	"handoff/internal/web/sse"
	"handoff/log/thread"
	"handoff/log/thread/compile"
	"handoff/surface/problem"
	"handoff/workspace/threadops"
)

var lostParent = refuse(problem.Incomplete, "events that the thread inherits are lost: restore its parent, or leave out inherited")

// inheritedBy are the parts that a thread inherits, and how many events they have. It does not change, so the events can be numbered through.
func (s *Server) inheritedBy(ctx context.Context, id string) (parts []threadops.Part, events uint64, err error) {
	parts, err = threadops.Inherited(ctx, s.Threads, id)
	for _, p := range parts {
		if !p.Whole {
			head, headErr := s.Threads.HeadFrom(p.ThreadID, p.UpTo)
			if headErr == nil && head < p.UpTo {
				headErr = &compile.LostParent{Child: p.Child, Parent: p.ThreadID, Cut: p.UpTo, Events: head + 1}
			}
			if err = errors.Join(err, headErr); err != nil {
				break
			}
		}
		events += p.UpTo + 1
	}
	if errors.As(err, new(*compile.LostParent)) {
		err = lostParent
	}
	return parts, events, err
}

// withInherited are the events of the parts and then the thread's own, numbered through, from a number on.
func (s *Server) withInherited(ctx context.Context, id string, parts []threadops.Part, from uint64) iter.Seq2[sse.Event, error] {
	return func(yield func(sse.Event, error) bool) {
		begin := uint64(0)
		for _, p := range parts {
			if begin+p.UpTo < from { // nothing of it is sent
				begin += p.UpTo + 1
				continue
			}
			for e, err := range upTo(s.Threads.Events(p.ThreadID, max(from, begin)-begin), p.UpTo) {
				line, lineErr := e.Line()
				if err = errors.Join(err, lineErr); !yield(sse.Event{ID: strconv.FormatUint(begin+e.Seq, 10), Data: line}, err) || err != nil {
					return
				}
			}
			begin += p.UpTo + 1
		}
		frames(s.Threads.FollowLines(ctx, thread.Continuity, id, max(from, begin)-begin), begin)(yield)
	}
}

// upTo are the events up to a number.
func upTo(events iter.Seq2[thread.Event, error], last uint64) iter.Seq2[thread.Event, error] {
	return func(yield func(thread.Event, error) bool) {
		for e, err := range events {
			if err == nil && e.Seq > last || !yield(e, err) || e.Seq == last {
				return
			}
		}
	}
}
