package httpapi

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"net/http"
	"strconv"
	"strings"

	"handoff"
	"handoff/internal/web/openapi"
	"handoff/internal/web/sse"
	"handoff/thread"
)

// Who did something, where a request does not say: RIP's words.
const (
	defaultActor  = "user"
	defaultOrigin = "server"
)

// who are the fields of a body that say who asks.
type who struct {
	ActorID *string `json:"actor_id" doc:"actor; default: user"`
	Origin  *string `json:"origin" doc:"origin of the request; default: server"`
}

func (w who) actor() string  { return given(w.ActorID, defaultActor) }
func (w who) origin() string { return given(w.Origin, defaultOrigin) }

// given is a text, or what stands for none. Blank text says nothing.
func given(s *string, instead string) string {
	if s == nil || strings.TrimSpace(*s) == "" {
		return instead
	}
	return *s
}

type threadInput struct {
	ID string `path:"id" doc:"thread ID"`
}

type keyInput struct {
	Key string `header:"Idempotency-Key" doc:"idempotency key: repeating the request returns the first result and has no further effect"`
}

type threadEnsured struct {
	ThreadID string `json:"thread_id" doc:"ID of the default thread"`
}

// threadMeta is what RIP says of a thread.
type threadMeta struct{ thread.Info }

type createInput struct {
	keyInput
	Body struct {
		Title *string `json:"title" doc:"title; null for none"`
	}
}

// threadMade is a thread that was made, or had been by the same key.
type threadMade struct {
	thread.Info
	existed bool
}

func (m threadMade) StatusCode() int { return madeCode(m.existed) }

func madeCode(existed bool) int {
	if existed {
		return http.StatusOK
	}
	return http.StatusCreated
}

var noThread = &openapi.Refusal{Status: http.StatusNotFound, Text: "no such thread"}

// refused answers for the store's refusals: in its words where anybody may be
// told, else in words of our own for what is not there, and what makes no sense.
// missing is "" where only a thread can be.
func refused(err error, missing, senseless string) error {
	var told *thread.Refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &told):
		status, _ := problemOf(told)
		return &openapi.Refusal{Status: status, Text: told.Text}
	case errors.Is(err, fs.ErrNotExist) && missing == "":
		return noThread
	case errors.Is(err, fs.ErrNotExist):
		return &openapi.Refusal{Status: http.StatusNotFound, Text: missing}
	case errors.Is(err, handoff.ErrInvalid):
		return &openapi.Refusal{Status: http.StatusBadRequest, Text: senseless}
	case errors.Is(err, fs.ErrExist):
		return &openapi.Refusal{Status: http.StatusConflict, Text: "the Idempotency-Key was used for another request"}
	}
	return err
}

// known refuses what no thread can be called: RIP knows no bad ids, only those
// that are not there.
func known(id string) error {
	if thread.CheckID(id) != nil {
		return noThread
	}
	return nil
}

// Text that is stored must be what was sent; ids of threads are asked for
// before anything else.
const badTitle = "the title or the Idempotency-Key cannot be stored"

func (s *Server) ensureThread(ctx context.Context, _ openapi.Nothing) (threadEnsured, error) {
	info, err := s.Threads.Store.Ensure(ctx)
	return threadEnsured{info.ThreadID}, err
}

func (s *Server) createThread(ctx context.Context, in createInput) (threadMade, error) {
	info, existed, err := s.Threads.Store.Create(ctx, thread.CreateRequest{Title: in.Body.Title, Key: in.Key})
	return threadMade{info, existed}, refused(err, "", badTitle)
}

// listThreads lists those that can be read; of the others the log tells.
func (s *Server) listThreads(ctx context.Context, _ openapi.Nothing) ([]threadMeta, error) {
	all, err := s.Threads.Store.List(ctx)
	if err != nil && (len(all) == 0 || ctx.Err() != nil) {
		return nil, err
	}
	if err != nil {
		s.Log.Warn("some threads cannot be read", "error", err)
	}
	list := make([]threadMeta, len(all))
	for i, info := range all {
		list[i] = threadMeta{info}
	}
	return list, nil
}

func (s *Server) getThread(ctx context.Context, in threadInput) (threadMeta, error) {
	if err := known(in.ID); err != nil {
		return threadMeta{}, err
	}
	info, err := s.Threads.Store.Get(ctx, in.ID)
	return threadMeta{info}, refused(err, "", "")
}

func (s *Server) getLineage(ctx context.Context, in threadInput) (*thread.Node, error) {
	if err := known(in.ID); err != nil {
		return nil, err
	}
	node, err := s.Threads.Store.Lineage(ctx, in.ID)
	if node != nil && err != nil {
		s.Log.Warn("some threads cannot be read", "error", err)
		err = nil
	}
	return node, refused(err, "", "")
}

type archiveInput struct {
	threadInput
	Body who
}

type renameInput struct {
	threadInput
	Body struct {
		who
		Title *string `json:"title" doc:"new title; null removes it"`
	}
}

func (s *Server) archiveThread(ctx context.Context, in archiveInput) (threadMeta, error) {
	if err := known(in.ID); err != nil {
		return threadMeta{}, err
	}
	info, err := s.Threads.Store.Archive(ctx, in.ID, in.Body.actor(), in.Body.origin())
	return threadMeta{info}, refused(err, "", "")
}

func (s *Server) unarchiveThread(ctx context.Context, in archiveInput) (threadMeta, error) {
	if err := known(in.ID); err != nil {
		return threadMeta{}, err
	}
	info, err := s.Threads.Store.Unarchive(ctx, in.ID, in.Body.actor(), in.Body.origin())
	return threadMeta{info}, refused(err, "", "")
}

func (s *Server) renameThread(ctx context.Context, in renameInput) (threadMeta, error) {
	if err := known(in.ID); err != nil {
		return threadMeta{}, err
	}
	info, err := s.Threads.Store.Rename(ctx, in.ID, in.Body.Title, in.Body.actor(), in.Body.origin())
	return threadMeta{info}, refused(err, "", badTitle)
}

type threadEventsInput struct {
	threadInput
	resumeInput
}

// lastSeq is the header that tells which event is the last one at the moment,
// for clients that do not wait for more.
const lastSeq = "Handoff-Last-Seq"

// streamThread sends a thread's frames, those that are there and those to
// come.
func (s *Server) streamThread(w http.ResponseWriter, r *http.Request, in threadEventsInput) error {
	if err := known(in.ID); err != nil {
		return err
	}
	last, err := s.Threads.Store.Head(in.ID)
	if err != nil {
		return refused(err, "", "")
	}
	w.Header().Set(lastSeq, strconv.FormatUint(last, 10))
	return s.stream(w, r, func(ctx context.Context) iter.Seq2[sse.Event, error] {
		return frames(s.Threads.Store.FollowLines(ctx, thread.Continuity, in.ID, in.from()))
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
