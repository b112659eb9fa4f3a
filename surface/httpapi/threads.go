package httpapi

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"net/http"
	"strconv"

	"handoff/document/handoff"
	"handoff/internal/web/openapi"
	"handoff/internal/web/sse"
	"handoff/log/artifact"
	"handoff/log/thread"
	"handoff/surface/problem"
	"handoff/workspace/ops"
	"handoff/workspace/threadops"
	"handoff/workspace/threads"
)

type threadInput struct {
	ID string `path:"id" doc:"thread ID"`
}

// threadRequest is a request about one thread.
type threadRequest[R any] struct {
	threadInput
	Body R
}

// threadGroup serves the operations on threads. One that documents no refusal has none.
func (s *Server) threadGroup() group[*threads.Threads] {
	return group[*threads.Threads]{
		name: "thread", tag: "threads", named: named[threadInput](),
		all: func(context.Context) (*threads.Threads, error) { return s.Threads, nil },
		at: func(_ context.Context, id string, _ *ops.About) (*threads.Threads, error) {
			return s.Threads, checkThread(id)
		},
		problem: func(err error, a *ops.About) error {
			if a.Missing != "" && errors.Is(err, fs.ErrNotExist) && !errors.As(err, new(*thread.Refusal)) {
				return orNamed(err, &openapi.Refusal{Status: http.StatusNotFound, Text: a.Missing})
			}
			if len(a.Refuses) == 0 {
				return err
			}
			return threadProblem(err, a.Invalid)
		}}
}

var noThread = refuse(problem.NoThread, "no such thread")

// orNamed is a refusal with the id of the thread, run or artifact that was not found, if the error has
// it: a request may name several. Other names are not repeated, and these ids are valid ones.
func orNamed(err error, unnamed *openapi.Refusal) *openapi.Refusal {
	if e, ok := errors.AsType[*artifact.MissingError](err); ok {
		return &openapi.Refusal{Status: http.StatusNotFound, Text: "no such artifact: " + e.ID.String()}
	}
	e, ok := errors.AsType[*thread.UnknownError](err)
	switch {
	case !ok:
		return unnamed
	case e.Kind == thread.Continuity:
		return refuse(problem.NoThread, noThread.Text+": "+e.ID)
	}
	return &openapi.Refusal{Status: http.StatusNotFound, Text: "no such " + e.Name() + ": " + e.ID}
}

// threadProblem is the answer to an error of the store. invalid is its text if
// the request is invalid: the store's own error may repeat parts of it.
func threadProblem(err error, invalid string) error {
	var shown *thread.Refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &shown):
		return &openapi.Refusal{Status: problemOf(shown).Status, Text: shown.Text}
	case errors.Is(err, fs.ErrNotExist):
		return orNamed(err, noThread)
	case errors.Is(err, handoff.ErrInvalid):
		return &openapi.Refusal{Status: http.StatusBadRequest, Text: invalid}
	case errors.Is(err, fs.ErrExist):
		return keyUsed
	}
	return err
}

var keyUsed = refuse(problem.KeyReused, "the Idempotency-Key was used for another request")

// checkThread returns 404 for an ID that no thread can have, as RIP does.
func checkThread(id string) error {
	if thread.CheckID(id) != nil {
		return noThread
	}
	return nil
}

// withThread serves a method that takes a request about a thread.
func withThread[R, T any](invalid string, do func(context.Context, string, R) (T, error)) func(context.Context, threadRequest[R]) (T, error) {
	return func(ctx context.Context, in threadRequest[R]) (out T, err error) {
		if err := checkThread(in.ID); err != nil {
			return out, err
		}
		out, err = do(ctx, in.ID, in.Body)
		return out, threadProblem(err, invalid)
	}
}

// started serves an operation that answers as soon as its job is started, as RIP does.
func started[R, T any](o *threadops.Op[R, T], what string, do func(context.Context, string, R) (T, error), job func(T) bool) openapi.Operation {
	serve := withThread(o.Invalid, do)
	return openapi.Either(o.Verb(), o.Path, http.StatusOK, http.StatusAccepted, what, func(ctx context.Context, in threadRequest[R]) (T, bool, error) {
		out, err := serve(ctx, in)
		return out, job(out), err
	})
}

func (s *Server) autoCompact(ctx context.Context, id string, r thread.AutoRequest) (thread.AutoResult, error) {
	result, job, err := s.Threads.Store.AutoCompact(ctx, id, r)
	s.runJob(job)
	return result, err
}

func (s *Server) scheduleCompact(ctx context.Context, id string, r thread.ScheduleRequest) (thread.ScheduleResult, error) {
	result, job, err := s.Threads.Store.ScheduleCompact(ctx, id, r)
	s.runJob(job)
	return result, err
}

// runJob runs a job, if there is one, after its request was answered.
func (s *Server) runJob(job *thread.Job) {
	if job == nil {
		return
	}
	s.inBackground(func(ctx context.Context) {
		if _, err := s.Threads.RunJob(ctx, *job); err != nil {
			s.Log.Error("compaction failed", "thread", job.ThreadID, "job", job.JobID, "error", err)
		}
	})
}

type threadEventsInput struct {
	threadInput
	resumeInput
	Inherited bool `query:"inherited" doc:"send first the events that a branch inherits; IDs, from_seq and Handoff-Last-Seq then count from the first of them"`
}

// lastSeq is the header with the number of the last event so far, for clients
// that do not wait for more.
const lastSeq = "Handoff-Last-Seq"

// streamThread streams a thread's existing and future events.
func (s *Server) streamThread(w http.ResponseWriter, r *http.Request, in threadEventsInput) error {
	if err := checkThread(in.ID); err != nil {
		return err
	}
	last, err := s.Threads.Head(in.ID)
	if err != nil {
		return threadProblem(err, "")
	}
	var parts []threadops.Part
	if in.Inherited {
		var before uint64
		if parts, before, err = s.inheritedBy(r.Context(), in.ID); err != nil {
			return err
		}
		last += before
	}
	w.Header().Set(lastSeq, strconv.FormatUint(last, 10))
	return s.stream(w, r, func(ctx context.Context) iter.Seq2[sse.Event, error] {
		return s.withInherited(ctx, in.ID, parts, in.from())
	})
}

// frames are events as a stream sends them, after so many others.
func frames(events iter.Seq2[thread.Line, error], before uint64) iter.Seq2[sse.Event, error] {
	return func(yield func(sse.Event, error) bool) {
		for e, err := range events {
			if !yield(sse.Event{ID: strconv.FormatUint(before+e.Seq, 10), Data: e.Text}, err) {
				return
			}
		}
	}
}
