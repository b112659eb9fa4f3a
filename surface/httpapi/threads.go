package httpapi

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"handoff"
	"handoff/internal/web/openapi"
	"handoff/internal/web/sse"
	"handoff/problem"
	"handoff/thread"
	"handoff/workspace/ops"
	"handoff/workspace/threadops"
)

type threadInput struct {
	ID string `path:"id" doc:"thread ID"`
}

// threadRequest is a request about one thread.
type threadRequest[R any] struct {
	threadInput
	Body R
}

var noThread = refuse(problem.NoThread, "no such thread")

// threadOperation is the route of an operation that is done here as a command does it. Parts
// that cannot be read are logged, and left out of the answer.
func (s *Server) threadOperation(o threadops.Operation) openapi.Operation {
	a := o.Described()
	request, result := o.Types()
	in, hasBody := inputOf(a.Path, request)
	code, replayed := cmp.Or(a.Code, http.StatusOK), cmp.Or(a.Code, http.StatusOK)
	if o.Repeated(reflect.New(result).Interface()) != nil {
		replayed = http.StatusOK
	}
	op := openapi.Typed(a.Verb(), a.Path, code, replayed, "Already created with the same Idempotency-Key", in, result,
		func(ctx context.Context, in reflect.Value) (any, bool, error) {
			id, r, out := "", reflect.New(request), reflect.New(result)
			if hasBody {
				r.Elem().Set(in.FieldByName("Body"))
			}
			if f := in.FieldByName("ID"); f.IsValid() {
				id = f.String()
				if err := checkThread(id); err != nil {
					return nil, false, err
				}
			}
			err := o.Run(ctx, s.Threads, id, r.Interface(), out.Interface())
			if err != nil && ctx.Err() == nil && a.Usable(out.Interface()) {
				s.Log.Warn("some threads cannot be read", "error", err)
				err = nil
			}
			again := o.Repeated(out.Interface())
			return out.Elem().Interface(), again != nil && *again, routeProblem(err, a)
		})
	return described(op, a)
}

// inputOf is the input of a route: the parameter of its path, and the request as its body.
func inputOf(path string, request reflect.Type) (in reflect.Type, hasBody bool) {
	var fields []reflect.StructField
	if strings.Contains(path, "{id}") {
		fields = append(fields, reflect.StructField{Name: "ID", Type: reflect.TypeFor[string](), Tag: `path:"id" doc:"thread ID"`})
	}
	if hasBody = request != reflect.TypeFor[ops.None](); hasBody {
		fields = append(fields, reflect.StructField{Name: "Body", Type: request})
	}
	return reflect.StructOf(fields), hasBody
}

// described is a route as the OpenAPI document has it.
func described(op openapi.Operation, a *ops.About) openapi.Operation {
	op.Method, op.Path, op.Lenient = a.Verb(), a.Path, a.RIP
	return op.Says("threads", a.RouteID("thread"), a.Summary, refuses(a.Refuses...)...)
}

// routeProblem is threadProblem for an operation. One that documents no refusal has none.
func routeProblem(err error, a *ops.About) error {
	if a.Missing != "" && errors.Is(err, fs.ErrNotExist) && !errors.As(err, new(*thread.Refusal)) {
		return &openapi.Refusal{Status: http.StatusNotFound, Text: a.Missing}
	}
	if len(a.Refuses) == 0 {
		return err
	}
	return threadProblem(err, a.Invalid)
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
		return noThread
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
	w.Header().Set(lastSeq, strconv.FormatUint(last, 10))
	return s.stream(w, r, func(ctx context.Context) iter.Seq2[sse.Event, error] {
		return frames(s.Threads.FollowLines(ctx, thread.Continuity, in.ID, in.from()))
	})
}

// frames are events as a stream sends them.
func frames(events iter.Seq2[thread.Line, error]) iter.Seq2[sse.Event, error] {
	return func(yield func(sse.Event, error) bool) {
		for e, err := range events {
			if !yield(sse.Event{ID: strconv.FormatUint(e.Seq, 10), Data: e.Text}, err) {
				return
			}
		}
	}
}
