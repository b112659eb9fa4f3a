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
	"handoff/log/thread"
	"handoff/log/thread/runner"
	"handoff/surface/problem"
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

var usedOnce = refuse(problem.SessionUsed, "the session already has its input")

// sessions are those that wait for their input or run, which the store does not know
// completely.
type sessions struct {
	mu      sync.Mutex
	waiting map[string]chan struct{}      // closed when the input arrives or never will
	order   []string                      // of waiting, oldest first
	runs    map[string]context.CancelFunc // nil for a run that was cancelled and is ending
}

// maxWaiting is the maximum number of sessions that wait for input. A further one
// drops the oldest.
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

// drop removes a waiting session; it returns false if the session was not
// waiting. The caller holds the lock.
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

// wait returns a channel that is closed when the session stops waiting for input;
// waits is false if it is not waiting.
func (s *sessions) wait(id string) (ready <-chan struct{}, waits bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.waiting[id]
	return c, ok
}

// running stores how to cancel a run. If the session was waiting and has been
// cancelled in the meantime, the run is cancelled.
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

// cancel cancels a waiting or running session; found is false if there is none,
// again is true if it was already cancelled.
func (s *sessions) cancel(id string) (found, again bool) {
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

// noRun is the answer for a run that does not exist. Only a valid id is repeated.
func noRun(id string) error {
	text := "no such run"
	if thread.CheckID(id) == nil {
		text += ": " + id
	}
	return &openapi.Refusal{Status: http.StatusNotFound, Text: text}
}

// sendInput starts the run of a session.
func (s *Server) sendInput(ctx context.Context, in sessionTextInput) (openapi.Nothing, error) {
	if thread.CheckID(in.ID) != nil {
		return openapi.Nothing{}, noRun(in.ID)
	}
	if _, waits := s.sessions.wait(in.ID); !waits {
		if _, _, err := s.Threads.Store.SessionEnded(in.ID); errors.Is(err, fs.ErrNotExist) {
			return openapi.Nothing{}, noRun(in.ID)
		} else if err != nil {
			return openapi.Nothing{}, err
		}
		return openapi.Nothing{}, usedOnce
	}
	_, err := s.Threads.Store.StartSession(ctx, in.ID, in.Body.Input)
	if errors.Is(err, fs.ErrExist) {
		return openapi.Nothing{}, usedOnce // another request was faster
	}
	if err != nil {
		return openapi.Nothing{}, threadProblem(err, "the input cannot be stored")
	}
	s.acknowledge(in.ID, in.Body.Input)
	return openapi.Nothing{}, nil
}

// cancelSession cancels a run. As in RIP, a run that was cancelled before is not
// found, while one that has ended is.
func (s *Server) cancelSession(ctx context.Context, in sessionInput) (openapi.Nothing, error) {
	if thread.CheckID(in.ID) != nil {
		return openapi.Nothing{}, noRun(in.ID)
	}
	switch found, again := s.sessions.cancel(in.ID); {
	case again:
		return openapi.Nothing{}, noRun(in.ID)
	case found:
		return openapi.Nothing{}, nil
	}
	if err := s.Threads.CancelRun(ctx, in.ID); !errors.Is(err, fs.ErrNotExist) {
		return openapi.Nothing{}, err // it ran in another process
	}
	end, ok, err := s.Threads.Store.SessionEnded(in.ID)
	if errors.Is(err, fs.ErrNotExist) || ok && end.Reason == runner.Cancelled {
		err = noRun(in.ID)
	}
	return openapi.Nothing{}, err
}

// streamSession streams a run's frames. A session that waits for input has none
// yet.
func (s *Server) streamSession(w http.ResponseWriter, r *http.Request, in sessionEventsInput) error {
	if thread.CheckID(in.ID) != nil {
		return noRun(in.ID)
	}
	ready, waits := s.sessions.wait(in.ID)
	if !waits {
		if _, _, err := s.Threads.Store.SessionEnded(in.ID); errors.Is(err, fs.ErrNotExist) {
			return noRun(in.ID)
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
			for e, err := range frames(s.Threads.FollowRun(ctx, in.ID, in.from()), 0) {
				if waits && errors.Is(err, fs.ErrNotExist) || !yield(e, err) {
					return // cancelled before it got input
				}
			}
		}
	})
}
