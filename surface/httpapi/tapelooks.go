package httpapi

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"net/http"

	"handoff/internal/web/openapi"
	"handoff/internal/web/sse"
	"handoff/log/tape"
	"handoff/workspace/ops"
	"handoff/workspace/tapeops"
	"handoff/workspace/tapes"
)

type tapeContextInput struct {
	tapeInput
	tapes.ContextRequest
}

func (s *Server) getTapeContext(w http.ResponseWriter, r *http.Request, in tapeContextInput) error {
	t, err := s.existing(in.Tape)
	if err != nil {
		return err
	}
	return s.sendContext(w, r, t, in.ContextRequest)
}

func (s *Server) sendContext(w http.ResponseWriter, r *http.Request, t *tapes.Tape, in tapes.ContextRequest) error {
	window, err := in.Part()
	if err != nil {
		return tapeProblem(err, &tapeops.Context.About)
	}
	return whole(s, w, r, t, window, "the context", func(t *tapes.Tape) (tapes.Context, error) { return t.Context(r.Context(), in) })
}

func (s *Server) recoverTape(w http.ResponseWriter, r *http.Request, in tapeInput) error {
	t, err := s.existing(in.Tape)
	if err != nil {
		return err
	}
	return whole(s, w, r, t, tape.FromLastAnchor(), "the recovery since the last anchor", func(t *tapes.Tape) (tape.Recovery, error) { return t.Recover(r.Context()) })
}

type tapeEventsInput struct {
	tapeInput
	tapes.AnchorRequest
	tapes.ChoiceRequest
	LastEventID string `header:"Last-Event-ID" doc:"ID of the last event received: resume after it, overriding all other starting points"`
}

// streamTape streams a tape's existing and future entries. The ID of an event is
// a position, not the ID of the entry: those restart at 1 after a reset.
func (s *Server) streamTape(w http.ResponseWriter, r *http.Request, in tapeEventsInput) error {
	window, _, err := tapes.WindowRequest{AnchorRequest: in.AnchorRequest}.Window()
	if err != nil {
		return tapeProblem(err, &tapeops.Read.About)
	}
	request := tape.FollowRequest{Query: in.Query(window)}
	if in.LastEventID != "" {
		if request.After, err = tape.ParseCursor(in.LastEventID); err != nil {
			return &openapi.Refusal{Status: http.StatusBadRequest, Text: "header Last-Event-ID: want the ID of an event of this stream"}
		}
	}
	t, err := s.tape(in.Tape)
	if err != nil {
		return err
	}
	if err := followable(r.Context(), t, request); err != nil {
		return tapeProblem(err, &ops.About{Invalid: "want dates in ISO 8601"})
	}
	return s.stream(w, r, func(ctx context.Context) iter.Seq2[sse.Event, error] { return tapeEvents(t.Follow(ctx, request)) })
}

// followable checks a request before the answer starts. For a client that
// reconnects, the starting point is not checked: its anchor may be gone since a
// reset.
func followable(ctx context.Context, t *tapes.Tape, r tape.FollowRequest) error {
	exists, err := t.Exists()
	if err != nil || !exists && r.After == (tape.Cursor{}) {
		return errors.Join(err, noTape)
	}
	if !exists { // a fork that ended: the rest is in its archive
		for _, err := range t.Follow(ctx, r) {
			return err
		}
	}
	if r.After != (tape.Cursor{}) {
		r.Query.Window, r.Query.FromID = tape.Window{}, nil
	}
	r.Query.Limit = new(0)
	for _, err := range t.Query(ctx, r.Query) {
		return err
	}
	return nil
}

// tapeEvents are entries as a stream sends them. The stream of a fork ends when
// it is merged or discarded; a client that reconnects gets 404.
func tapeEvents(entries iter.Seq2[tape.Entry, error]) iter.Seq2[sse.Event, error] {
	return func(yield func(sse.Event, error) bool) {
		for e, err := range entries {
			if errors.Is(err, fs.ErrNotExist) {
				return
			}
			var line []byte
			if err == nil {
				line, err = e.Line()
			}
			if !yield(sse.Event{ID: e.Cursor().String(), Data: line}, err) || err != nil {
				return
			}
		}
	}
}
