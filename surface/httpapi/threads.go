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

type threadEnsured struct {
	ThreadID string `json:"thread_id" doc:"ID of the default thread"`
}

var noThread = refuse(problem.NoThread, "no such thread")

// The text of the answer to an invalid request, unless the store's own error
// may be shown: that may repeat parts of the request.
const (
	badTitle      = "the title or the Idempotency-Key cannot be stored"
	badStride     = "want a stride_messages of 1 or more"
	badHandoff    = "want the summary_artifact_id of a handoff bundle of this thread"
	badCheckpoint = "want the summary_artifact_id of a compaction summary of this thread"
	badCursor     = "a field cannot be stored"
)

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
	op := openapi.Typed(a.Method, a.Path, code, replayed, "Already created with the same Idempotency-Key", in, result,
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
			if v := out.Elem(); err != nil && a.Partial && ctx.Err() == nil && !v.IsZero() && (v.Kind() != reflect.Slice || v.Len() > 0) {
				s.Log.Warn("some threads cannot be read", "error", err)
				err = nil
			}
			again := o.Repeated(out.Interface())
			return out.Elem().Interface(), again != nil && *again, routeProblem(err, a.Route)
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
	op.Method, op.Path, op.Lenient = a.Method, a.Path, a.RIP
	return op.Says("threads", a.RouteID("thread"), a.Summary, refuses(a.Refuses...)...)
}

// routeProblem is threadProblem for a route. One that documents no refusal has none.
func routeProblem(err error, r ops.Route) error {
	if r.Missing != "" && errors.Is(err, fs.ErrNotExist) && !errors.As(err, new(*thread.Refusal)) {
		return &openapi.Refusal{Status: http.StatusNotFound, Text: r.Missing}
	}
	if len(r.Refuses) == 0 {
		return err
	}
	return threadProblem(err, r.Invalid)
}

// threadProblem is the answer to an error of the store. invalid is its text if
// the request is invalid.
func threadProblem(err error, invalid string) error {
	var shown *thread.Refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &shown):
		return &openapi.Refusal{Status: problemOf(shown).Status, Text: shown.Text}
	case errors.Is(err, fs.ErrNotExist) && (invalid == badHandoff || invalid == badCheckpoint):
		return &openapi.Refusal{Status: http.StatusNotFound, Text: "no such thread or artifact"}
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

// onThread serves a method that reads a thread.
func onThread[T any](do func(context.Context, string) (T, error)) func(context.Context, threadInput) (T, error) {
	return func(ctx context.Context, in threadInput) (out T, err error) {
		if err := checkThread(in.ID); err != nil {
			return out, err
		}
		out, err = do(ctx, in.ID)
		return out, threadProblem(err, "")
	}
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

// either serves a method whose result decides between two status codes.
func either[R, T any](invalid string, do func(context.Context, string, R) (T, error), second func(T) bool) func(context.Context, threadRequest[R]) (T, bool, error) {
	serve := withThread(invalid, do)
	return func(ctx context.Context, in threadRequest[R]) (T, bool, error) {
		out, err := serve(ctx, in)
		return out, second(out), err
	}
}

func (s *Server) ensureThread(ctx context.Context, _ openapi.Nothing) (threadEnsured, error) {
	info, err := s.Threads.Ensure(ctx)
	return threadEnsured{info.ThreadID}, err
}

type createInput struct{ Body thread.CreateRequest }

func (s *Server) createThread(ctx context.Context, in createInput) (thread.Info, bool, error) {
	info, existed, err := s.Threads.Create(ctx, in.Body)
	return info, existed, threadProblem(err, badTitle)
}

// lineage leaves out the threads that cannot be read, and logs them.
func (s *Server) lineage(ctx context.Context, id string) (*thread.Node, error) {
	node, err := s.Threads.Lineage(ctx, id)
	if node != nil && err != nil {
		s.Log.Warn("some threads cannot be read", "error", err)
		err = nil
	}
	return node, err
}

// autoCompact answers as soon as the job is started, as RIP does.
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
