package httpapi

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"net/http"

	"handoff"
	"handoff/internal/file/regular"
	"handoff/internal/web/openapi"
	"handoff/problem"
	"handoff/tape"
	"handoff/workspace/tapes"
)

// tapeInput names a tape. In a path "/" is spelled %2F.
type tapeInput struct {
	Tape string `path:"tape" doc:"tape name: no control characters, no dot at the start or end; write each slash as %2F"`
}

// tapeRequest is a request about one tape.
type tapeRequest[R any] struct {
	tapeInput
	Body R
}

// noTape has a type of its own: a client that reads a missing tape as an empty
// one must not do so for other missing things.
var noTape = refuse(problem.NoTape, "no such tape")

// tape returns a tape that may not exist.
func (s *Server) tape(name string) (*tapes.Tape, error) {
	one, err := s.Tapes.Store.Tape(name)
	if err != nil {
		return nil, &openapi.Refusal{Status: http.StatusBadRequest, Text: "path parameter tape: want text without control characters, with no dot at the start or end, and at most 180 bytes as a file name"}
	}
	return s.Tapes.Of(one), nil
}

// existing returns a tape that exists.
func (s *Server) existing(name string) (*tapes.Tape, error) {
	t, err := s.tape(name)
	if err != nil {
		return nil, err
	}
	ok, err := t.Exists()
	if err == nil && !ok {
		err = noTape
	}
	return t, err
}

// tapeWords replace the error texts of an operation in answers, unless they are
// nil or "", because an error of a tape may repeat parts of the request.
type tapeWords struct {
	invalid string           // what a valid request looks like
	missing *openapi.Refusal // fs.ErrNotExist
	taken   *openapi.Refusal // fs.ErrExist
}

// problem is the answer to an error of a tape. Errors of queries are answered in
// their own words, which are Bub's.
func (w tapeWords) problem(err error) error {
	switch {
	case err == nil, errors.As(err, new(*tape.Error)), errors.As(err, new(*openapi.Refusal)):
		return err
	case errors.Is(err, tape.ErrKeyUsed):
		return keyUsed
	case errors.Is(err, tape.ErrMoved), errors.Is(err, tapes.ErrUnconfirmed):
		return err
	case errors.Is(err, fs.ErrExist) && w.taken != nil:
		return w.taken
	case errors.Is(err, fs.ErrExist):
		return err
	case errors.Is(err, fs.ErrNotExist) && w.missing != nil:
		return w.missing
	case errors.Is(err, fs.ErrNotExist):
		return noTape
	case errors.Is(err, handoff.ErrInvalid):
		return &openapi.Refusal{Status: http.StatusBadRequest, Text: w.invalid}
	}
	return err
}

// withTape serves a method of a tape that open returns.
func withTape[R, T any](open func(name string) (*tapes.Tape, error), w tapeWords, do func(*tapes.Tape, context.Context, R) (T, error)) func(context.Context, tapeRequest[R]) (T, error) {
	return func(ctx context.Context, in tapeRequest[R]) (out T, err error) {
		t, err := open(in.Tape)
		if err != nil {
			return out, err
		}
		out, err = do(t, ctx, in.Body)
		return out, w.problem(err)
	}
}

// eitherTape is withTape for a method whose result decides between two status
// codes.
func eitherTape[R, T any](open func(name string) (*tapes.Tape, error), w tapeWords, do func(*tapes.Tape, context.Context, R) (T, error), second func(T) bool) func(context.Context, tapeRequest[R]) (T, bool, error) {
	serve := withTape(open, w, do)
	return func(ctx context.Context, in tapeRequest[R]) (T, bool, error) {
		out, err := serve(ctx, in)
		return out, second(out), err
	}
}

// listTapes lists the tapes that can be read, and logs the others.
func (s *Server) listTapes(ctx context.Context, _ openapi.Nothing) ([]tape.Info, error) {
	list, err := s.Tapes.List()
	if err != nil && len(list) == 0 && !errors.Is(err, regular.ErrLink) {
		return nil, err
	}
	if err != nil {
		s.Log.Warn("some tapes cannot be read", "error", err)
	}
	return append([]tape.Info{}, list...), nil
}

func (s *Server) getTape(ctx context.Context, in tapeInput) (tape.Info, error) {
	t, err := s.existing(in.Tape)
	if err != nil {
		return tape.Info{}, err
	}
	info, err := t.Info(ctx)
	return info, tapeWords{}.problem(err)
}

// anchorInput selects the anchor to start after.
type anchorInput struct {
	LastAnchor  bool    `query:"last_anchor" doc:"start after the last anchor"`
	AfterAnchor *string `query:"after_anchor" doc:"start after the last anchor with this name; later anchors with other names are included"`
}

type windowInput struct {
	anchorInput
	Between []string `query:"between" doc:"given twice, with two anchor names: the entries after the last anchor with the first name and before the next with the second"`
}

// window is the requested part of a tape, and whether the request has one.
func (in windowInput) window() (w tape.Window, set bool, err error) {
	ways := 0
	for _, way := range []bool{in.LastAnchor, in.AfterAnchor != nil, in.Between != nil} {
		if way {
			ways++
		}
	}
	switch {
	case ways > 1:
		return w, true, &openapi.Refusal{Status: http.StatusBadRequest, Text: "want at most one of last_anchor, after_anchor and between"}
	case in.LastAnchor:
		return tape.FromLastAnchor(), true, nil
	case in.AfterAnchor != nil:
		return tape.AfterAnchor(*in.AfterAnchor), true, nil
	case len(in.Between) == 2:
		return tape.BetweenAnchors(in.Between[0], in.Between[1]), true, nil
	case in.Between != nil:
		return w, true, &openapi.Refusal{Status: http.StatusBadRequest, Text: "query parameter between: give it twice, with two anchor names"}
	}
	return w, false, nil
}

// choiceInput filters the entries of a window.
type choiceInput struct {
	Since  string   `query:"since" doc:"only entries since this ISO 8601 date; a date without a time means the whole day, without a time zone UTC"`
	Until  string   `query:"until" doc:"only entries until this ISO 8601 date"`
	Text   string   `query:"text" doc:"only entries with this text in kind, date, payload or meta, ignoring case"`
	Kind   []string `query:"kind" doc:"only entries of this kind: message, tool_call, tool_result, anchor, event, system, error, or another; may be repeated"`
	FromID *int64   `query:"from_id" doc:"start at the last entry with this ID; if there is none, at the next one with a larger ID"`
}

func (in choiceInput) query(w tape.Window) tape.Query {
	return tape.Query{Window: w, From: in.Since, To: in.Until, Text: in.Text, Kinds: in.Kind, FromID: in.FromID}
}

type entriesInput struct {
	tapeInput
	windowInput
	choiceInput
	Limit *int `query:"limit" min:"-1000000" max:"1000000000" doc:"maximum number of entries, from the first; if negative, all but the last so many; default: all"`
}

// getEntries sends the entries while they are read: a tape may not fit into
// memory.
func (s *Server) getEntries(w http.ResponseWriter, r *http.Request, in entriesInput) error {
	window, _, err := in.window()
	if err != nil {
		return err
	}
	t, err := s.existing(in.Tape)
	if err != nil {
		return err
	}
	q := in.query(window)
	q.Limit = in.Limit
	w.Header().Set("Content-Type", "application/json")
	out := bufio.NewWriterSize(w, 64<<10) // a wrong request fails before it is full
	before := byte('[')
	for e, err := range t.Query(r.Context(), q) {
		var line []byte
		if err == nil {
			line, err = e.Line()
		}
		if err != nil {
			return tapeWords{}.problem(err)
		}
		out.WriteByte(before)
		if _, err := out.Write(line); err != nil || r.Context().Err() != nil {
			return nil // the client disconnected
		}
		before = ','
	}
	if before == '[' {
		out.WriteByte(before)
	}
	out.WriteByte(']')
	return out.Flush()
}

type entryInput struct {
	tapeInput
	ID int64 `path:"id" doc:"entry ID"`
}

func (s *Server) getEntry(_ context.Context, in entryInput) (tape.Entry, error) {
	if _, err := s.existing(in.Tape); err != nil {
		return tape.Entry{}, err
	}
	e, err := s.Tapes.Store.Resolve(tape.Ref{Tape: in.Tape, Entry: &in.ID})
	if errors.Is(err, fs.ErrNotExist) {
		err = &openapi.Refusal{Status: http.StatusNotFound, Text: "the tape has no such entry"}
	}
	return e, err
}

type anchorsInput struct {
	tapeInput
	Limit int `query:"limit" default:"20" min:"0" max:"1000000000" doc:"number of anchors, counted from the last; 0 for all"`
}

func (s *Server) getAnchors(ctx context.Context, in anchorsInput) ([]tape.Anchor, error) {
	t, err := s.existing(in.Tape)
	if err != nil {
		return nil, err
	}
	anchors, err := t.Anchors(ctx, in.Limit)
	return anchors, tapeWords{}.problem(err)
}
