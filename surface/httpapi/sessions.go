package httpapi

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"net/http"
	"sync"

	"handoff/internal/web/openapi"
	"handoff/internal/web/sse"
	"handoff/thread"
	"handoff/thread/runner"
)

type sessionInput struct {
	ID string `path:"id" doc:"session ID (a run)"`
}

type sessionCreated struct {
	SessionID string `json:"session_id" doc:"session ID"`
}

type sessionTextInput struct {
	sessionInput
	Body struct {
		Input    string         `json:"input" doc:"input of the run"`
		Provider *openResponses `json:"openresponses" doc:"provider settings of RIP; ignored"`
	}
}

type sessionEventsInput struct {
	sessionInput
	resumeInput
}

var (
	noSession = &openapi.Refusal{Status: http.StatusNotFound, Text: "no such session"}
	usedOnce  = &openapi.Refusal{Status: http.StatusConflict, Text: "the session already has its input"}
)

// sessions are those of which the store does not know all: they wait for their
// input, or run.
type sessions struct {
	mu      sync.Mutex
	waiting map[string]chan struct{}      // closed when the input is there, or there will be none
	order   []string                      // of those that wait, the oldest first
	runs    map[string]context.CancelFunc // nil for one that was cancelled, and ends
}

// maxWaiting bounds the sessions that wait for an input. The oldest is given
// up for a new one.
const maxWaiting = 4096

func (s *sessions) create(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.order) >= maxWaiting {
		s.drop(s.order[0])
	}
	s.waiting[id] = make(chan struct{})
	s.order = append(s.order, id)
}

// drop ends the waiting of a session; false if it did not wait. The lock is
// held.
func (s *sessions) drop(id string) bool {
	ready, ok := s.waiting[id]
	if !ok {
		return false
	}
	close(ready)
	delete(s.waiting, id)
	for i, other := range s.order {
		if other == id {
			s.order = append(s.order[:i], s.order[i+1:]...)
			break
		}
	}
	return true
}

// wait is closed when a session waits no more for its input; waits is false if
// it does not now.
func (s *sessions) wait(id string) (ready <-chan struct{}, waits bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.waiting[id]
	return c, ok
}

// running notes how a run is cancelled. One that waited, and was cancelled
// just before, is cancelled.
func (s *sessions) running(id string, waited bool, cancel context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if waited && !s.drop(id) {
		cancel()
		return
	}
	s.runs[id] = cancel
}

func (s *sessions) ended(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, id)
}

// cancel ends a session that waits or runs; here is false if it does neither,
// again is true if it was cancelled before.
func (s *sessions) cancel(id string) (here, again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cancel, runs := s.runs[id]
	if runs && cancel == nil {
		return true, true
	}
	if runs {
		cancel()
		s.runs[id] = nil
	}
	return s.drop(id) || runs, false
}

func (s *Server) createSession(context.Context, openapi.Nothing) (sessionCreated, error) {
	id := s.NewID()
	s.sessions.create(id)
	return sessionCreated{id}, nil
}

// giveInput starts the run of a session.
func (s *Server) giveInput(ctx context.Context, in sessionTextInput) (openapi.Nothing, error) {
	if thread.CheckID(in.ID) != nil {
		return openapi.Nothing{}, noSession
	}
	if _, waits := s.sessions.wait(in.ID); !waits {
		if _, _, err := s.Threads.Store.SessionEnded(in.ID); errors.Is(err, fs.ErrNotExist) {
			return openapi.Nothing{}, noSession
		} else if err != nil {
			return openapi.Nothing{}, err
		}
		return openapi.Nothing{}, usedOnce
	}
	_, err := s.Threads.Store.StartSession(ctx, in.ID, in.Body.Input)
	if errors.Is(err, fs.ErrExist) {
		return openapi.Nothing{}, usedOnce // another input was quicker
	}
	if err != nil {
		return openapi.Nothing{}, threadProblem(err, "the input cannot be stored")
	}
	s.acknowledge(in.ID, in.Body.Input)
	return openapi.Nothing{}, nil
}

// cancelSession ends a run. As with RIP one that was cancelled is not there any
// more to be cancelled, while one that came to its end is.
func (s *Server) cancelSession(ctx context.Context, in sessionInput) (openapi.Nothing, error) {
	if thread.CheckID(in.ID) != nil {
		return openapi.Nothing{}, noSession
	}
	switch here, again := s.sessions.cancel(in.ID); {
	case again:
		return openapi.Nothing{}, noSession
	case here:
		return openapi.Nothing{}, nil
	}
	if err := s.Threads.CancelRun(ctx, in.ID); !errors.Is(err, fs.ErrNotExist) {
		return openapi.Nothing{}, err // another process ran it
	}
	end, ok, err := s.Threads.Store.SessionEnded(in.ID)
	if errors.Is(err, fs.ErrNotExist) || ok && end.Reason == runner.Cancelled {
		err = noSession
	}
	return openapi.Nothing{}, err
}

// streamSession sends a run's frames. One that waits for its input has none
// yet.
func (s *Server) streamSession(w http.ResponseWriter, r *http.Request, in sessionEventsInput) error {
	if thread.CheckID(in.ID) != nil {
		return noSession
	}
	ready, waits := s.sessions.wait(in.ID)
	if !waits {
		if _, _, err := s.Threads.Store.SessionEnded(in.ID); errors.Is(err, fs.ErrNotExist) {
			return noSession
		} else if err != nil {
			return err
		}
	}
	return s.stream(w, r, func(ctx context.Context) iter.Seq2[sse.Event, error] {
		return func(yield func(sse.Event, error) bool) {
			if waits {
				select {
				case <-ready:
				case <-ctx.Done():
					return
				}
			}
			for e, err := range frames(s.Threads.Store.FollowLines(ctx, thread.Session, in.ID, in.from())) {
				if waits && errors.Is(err, fs.ErrNotExist) || !yield(e, err) {
					return // it was cancelled before it had an input
				}
			}
		}
	})
}
