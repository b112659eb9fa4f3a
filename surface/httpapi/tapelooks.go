package httpapi

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"net/http"

	"handoff/internal/web/openapi"
	"handoff/internal/web/sse"
	"handoff/tape"
	"handoff/workspace/tapes"
)

type tapeSearchInput struct {
	tapeInput
	Text  string   `query:"text" doc:"text to search for, ignoring case; in any script; blank finds nothing"`
	Fuzzy bool     `query:"fuzzy" doc:"also match misspellings"`
	Kind  []string `query:"kind" doc:"only entries of this kind; may be repeated"`
	Since string   `query:"since" doc:"only entries since this ISO 8601 date; a date without a time means the whole day, without a time zone UTC"`
	Until string   `query:"until" doc:"only entries until this ISO 8601 date"`
	Limit int      `query:"limit" default:"20" min:"1" max:"10000" doc:"maximum number of results per tape"`
	All   bool     `query:"all_tapes" doc:"search all tapes, not only the one in the path"`
}

// searchTape finds entries, newest first.
func (s *Server) searchTape(ctx context.Context, in tapeSearchInput) ([]tapes.Hit, error) {
	t, err := s.existing(in.Tape)
	if err != nil {
		return nil, err
	}
	hits, err := t.Search(ctx, tape.Search{Text: in.Text, Fuzzy: in.Fuzzy, Kinds: in.Kind, From: in.Since, To: in.Until, Limit: in.Limit}, in.All)
	return hits, tapeWords{}.problem(err)
}

type tapeContextInput struct {
	tapeInput
	windowInput
	For     string `query:"for" default:"openai" enum:"openai,anthropic" doc:"provider format"`
	All     bool   `query:"all" doc:"use the whole tape; default: from the last anchor, or the one named"`
	NoState bool   `query:"no_anchor_state" doc:"leave out the state of the starting anchor, as Bub does"`
	NoThink bool   `query:"no_reasoning" doc:"leave out reasoning, which some servers refuse"`
	Contr   bool   `query:"contract" doc:"start with the note on the context's length"`
	Limit   int    `query:"context_limit" default:"200000" min:"1" max:"1000000000" doc:"context window of the model, in tokens"`
}

func (s *Server) getTapeContext(w http.ResponseWriter, r *http.Request, in tapeContextInput) error {
	t, window, err := s.contextOf(in)
	if err != nil {
		return err
	}
	done, err := s.holdWhole(r.Context(), t, window, "the context")
	if err != nil {
		return err
	}
	defer done()
	c, err := t.Context(r.Context(), tapes.ContextRequest{For: in.For, Window: window, WithoutState: in.NoState, WithoutReasoning: in.NoThink, Contract: in.Contr, Limit: in.Limit})
	if err != nil {
		return tapeWords{}.problem(err)
	}
	return openapi.WriteJSON(w, http.StatusOK, c)
}

// contextOf is the tape and the part of it that a context is built from.
func (s *Server) contextOf(in tapeContextInput) (*tapes.Tape, tape.Window, error) {
	window, set, err := in.window()
	if err == nil && set && in.All {
		err = &openapi.Refusal{Status: http.StatusBadRequest, Text: "want all or a choice of anchors, not both"}
	}
	if err != nil {
		return nil, window, err
	}
	if !set && !in.All {
		window = tape.FromLastAnchor()
	}
	t, err := s.existing(in.Tape)
	return t, window, err
}

func (s *Server) recoverTape(w http.ResponseWriter, r *http.Request, in tapeInput) error {
	t, err := s.existing(in.Tape)
	if err != nil {
		return err
	}
	done, err := s.holdWhole(r.Context(), t, tape.FromLastAnchor(), "the recovery since the last anchor")
	if err != nil {
		return err
	}
	defer done()
	recovery, err := t.Recover(r.Context())
	if err != nil {
		return tapeWords{}.problem(err)
	}
	return openapi.WriteJSON(w, http.StatusOK, recovery)
}

type tapeEventsInput struct {
	tapeInput
	anchorInput
	choiceInput
	LastEventID string `header:"Last-Event-ID" doc:"ID of the last event received: resume after it, overriding all other starting points"`
}

// streamTape streams a tape's existing and future entries. The ID of an event is
// a position, not the ID of the entry: those restart at 1 after a reset.
func (s *Server) streamTape(w http.ResponseWriter, r *http.Request, in tapeEventsInput) error {
	window, _, err := windowInput{anchorInput: in.anchorInput}.window()
	if err != nil {
		return err
	}
	request := tape.FollowRequest{Query: in.query(window)}
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
		return tapeWords{invalid: "want dates in ISO 8601"}.problem(err)
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
