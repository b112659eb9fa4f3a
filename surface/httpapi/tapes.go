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
	"handoff/tape"
	"handoff/workspace"
)

// tapeInput names a tape. In a path "/" is spelled %2F.
type tapeInput struct {
	Tape string `path:"tape" doc:"tape name: no control characters, no dot at the start or end; write each slash as %2F"`
}

var noTape = &openapi.Refusal{Status: http.StatusNotFound, Text: "no such tape"}

// tape is one that may be there or not.
func (s *Server) tape(in tapeInput) (*tape.Tape, error) {
	t, err := s.Tapes.Store.Tape(in.Tape)
	if err != nil {
		err = &openapi.Refusal{Status: http.StatusBadRequest, Text: "path parameter tape: want text without control characters, with no dot at the start or end, and at most 180 bytes as a file name"}
	}
	return t, err
}

// tapeThere is one that is there.
func (s *Server) tapeThere(in tapeInput) (*tape.Tape, error) {
	t, err := s.tape(in)
	if err != nil {
		return nil, err
	}
	there, err := t.Exists()
	if err == nil && !there {
		err = noTape
	}
	return t, err
}

// tapeRefused answers for the refusals of tapes in words of our own, but for
// those of queries, whose words are Bub's. senseless tells what is wanted.
func tapeRefused(err error, senseless string) error {
	switch {
	case err == nil, errors.As(err, new(*tape.Error)), errors.As(err, new(*openapi.Refusal)):
	case errors.Is(err, tape.ErrKeyUsed):
		return keyUsed
	case errors.Is(err, tape.ErrMoved), errors.Is(err, workspace.ErrUnsure), errors.Is(err, fs.ErrExist):
	case errors.Is(err, fs.ErrNotExist):
		return noTape
	case errors.Is(err, handoff.ErrInvalid):
		return &openapi.Refusal{Status: http.StatusBadRequest, Text: senseless}
	}
	return err
}

// listTapes lists those that can be read; of the others the log tells.
func (s *Server) listTapes(ctx context.Context, _ openapi.Nothing) ([]tape.Info, error) {
	all, err := s.Tapes.List()
	if err != nil && len(all) == 0 && !errors.Is(err, regular.ErrLink) {
		return nil, err
	}
	if err != nil {
		s.Log.Warn("some tapes cannot be read", "error", err)
	}
	return append([]tape.Info{}, all...), nil
}

func (s *Server) getTape(_ context.Context, in tapeInput) (tape.Info, error) {
	t, err := s.tapeThere(in)
	if err != nil {
		return tape.Info{}, err
	}
	info, err := t.Info()
	return info, tapeRefused(err, "")
}

// anchorInput says behind which anchor something begins.
type anchorInput struct {
	LastAnchor  bool    `query:"last_anchor" doc:"start after the last anchor"`
	AfterAnchor *string `query:"after_anchor" doc:"start after the last anchor with this name; later anchors with other names are included"`
}

type windowInput struct {
	anchorInput
	Between []string `query:"between" doc:"given twice, with two anchor names: the entries after the last anchor with the first name and before the next with the second"`
}

// window is what of a tape is asked for, and whether it was said at all.
func (in windowInput) window() (w tape.Window, said bool, err error) {
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

// choiceInput chooses among the entries of a window.
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

// getEntries sends the entries as they are read: a tape may be longer than what
// fits into memory.
func (s *Server) getEntries(w http.ResponseWriter, r *http.Request, in entriesInput) error {
	window, _, err := in.window()
	if err != nil {
		return err
	}
	t, err := s.tapeThere(in.tapeInput)
	if err != nil {
		return err
	}
	q := in.query(window)
	q.Limit = in.Limit
	w.Header().Set("Content-Type", "application/json")
	out := bufio.NewWriterSize(w, 64<<10) // what is wrong with the request is known before it is full
	before := byte('[')
	for e, err := range t.Query(q) {
		var line []byte
		if err == nil {
			line, err = e.Line()
		}
		if err != nil {
			return tapeRefused(err, "")
		}
		out.WriteByte(before)
		if _, err := out.Write(line); err != nil || r.Context().Err() != nil {
			return nil // the client went away
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
	if _, err := s.tapeThere(in.tapeInput); err != nil {
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

func (s *Server) getAnchors(_ context.Context, in anchorsInput) ([]tape.Anchor, error) {
	t, err := s.tapeThere(in.tapeInput)
	if err != nil {
		return nil, err
	}
	anchors, err := t.Anchors(in.Limit)
	return append([]tape.Anchor{}, anchors...), tapeRefused(err, "")
}
