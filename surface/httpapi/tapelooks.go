package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"net/http"

	"handoff/internal/web/openapi"
	"handoff/internal/web/sse"
	"handoff/tape"
	"handoff/workspace"
)

type tapeSearchInput struct {
	tapeInput
	Text  string   `query:"text" doc:"text to search for, ignoring case; in any script; blank finds nothing"`
	Fuzzy bool     `query:"fuzzy" doc:"also match misspellings"`
	Kind  []string `query:"kind" doc:"only entries of this kind; may be repeated"`
	Limit int      `query:"limit" default:"20" min:"1" max:"10000" doc:"maximum number of results per tape"`
	All   bool     `query:"all_tapes" doc:"search all tapes, not only the one in the path"`
}

// searchTape finds entries, the newest first.
func (s *Server) searchTape(_ context.Context, in tapeSearchInput) ([]workspace.TapeHit, error) {
	t, err := s.tapeThere(in.tapeInput)
	if err != nil {
		return nil, err
	}
	find := t.Search
	if in.All {
		find = s.Tapes.Store.SearchAll
	}
	hits, err := find(tape.Search{Text: in.Text, Fuzzy: in.Fuzzy, Kinds: in.Kind, Limit: in.Limit})
	return workspace.TapeHits(hits), tapeRefused(err, "")
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

type tapeContext struct {
	Request  json.RawMessage `json:"request" doc:"the provider request's messages, and for anthropic also system"`
	Messages int             `json:"messages" doc:"number of messages"`
	Tokens   int             `json:"tokens" doc:"estimated number of tokens"`
	Limit    int             `json:"context_limit"`
	Full     bool            `json:"full" doc:"true if the context is long enough to hand off"`
	Dropped  []tapeDropped   `json:"dropped" doc:"what was left out or changed"`
}

type tapeDropped struct {
	Entry int64  `json:"entry" doc:"entry ID; 0 if the note is not about a single entry"`
	Why   string `json:"why"`
}

// getTapeContext makes what a model is to be given.
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
	made, err := s.Tapes.Context(t, workspace.ContextRequest{For: in.For, Window: window, WithoutState: in.NoState, WithoutReasoning: in.NoThink, Contract: in.Contr, Limit: in.Limit})
	if err != nil {
		return tapeRefused(err, "")
	}
	c := tapeContext{Request: made.Request, Messages: made.Messages, Tokens: made.Tokens, Limit: made.Limit, Full: made.Full(), Dropped: []tapeDropped{}}
	for _, d := range made.Dropped {
		c.Dropped = append(c.Dropped, tapeDropped(d))
	}
	return openapi.WriteJSON(w, http.StatusOK, c)
}

// contextOf is of which tape a context is asked for, and of what of it.
func (s *Server) contextOf(in tapeContextInput) (*tape.Tape, tape.Window, error) {
	window, said, err := in.window()
	if err == nil && said && in.All {
		err = &openapi.Refusal{Status: http.StatusBadRequest, Text: "want all or a choice of anchors, not both"}
	}
	if err != nil {
		return nil, window, err
	}
	if !said && !in.All {
		window = tape.FromLastAnchor()
	}
	t, err := s.tapeThere(in.tapeInput)
	return t, window, err
}

func (s *Server) recoverTape(w http.ResponseWriter, r *http.Request, in tapeInput) error {
	t, err := s.tapeThere(in)
	if err != nil {
		return err
	}
	done, err := s.holdWhole(r.Context(), t, tape.FromLastAnchor(), "the recovery since the last anchor")
	if err != nil {
		return err
	}
	defer done()
	recovery, err := s.Tapes.Recover(t)
	if err != nil {
		return tapeRefused(err, "")
	}
	return openapi.WriteJSON(w, http.StatusOK, recovery)
}

type tapeEventsInput struct {
	tapeInput
	anchorInput
	choiceInput
	LastEventID string `header:"Last-Event-ID" doc:"ID of the last event received: resume after it, overriding all other starting points"`
}

// streamTape sends a tape's entries, those that are there and those to come.
// The id of an event is a place on the tape that a client gives back: ids of
// entries begin anew with a reset.
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
	t, err := s.tape(in.tapeInput)
	if err != nil {
		return err
	}
	if err := followable(r.Context(), t, request); err != nil {
		return tapeRefused(err, "want dates in ISO 8601")
	}
	return s.stream(w, r, func(ctx context.Context) iter.Seq2[sse.Event, error] { return tapeEvents(t.Follow(ctx, request)) })
}

// followable tells what is wrong with a request before the answer begins. Who
// comes back is only asked for what is not about where to begin: an anchor may
// be gone with the tape that had it.
func followable(ctx context.Context, t *tape.Tape, r tape.FollowRequest) error {
	there, err := t.Exists()
	if err != nil || !there && r.After == (tape.Cursor{}) {
		return errors.Join(err, noTape)
	}
	if !there { // what is left of a fork that was put away, if anything is
		for _, err := range t.Follow(ctx, r) {
			return err
		}
	}
	if r.After != (tape.Cursor{}) {
		r.Query.Window, r.Query.FromID = tape.Window{}, nil
	}
	r.Query.Limit = new(0)
	for _, err := range t.Query(r.Query) {
		return err
	}
	return nil
}

// tapeEvents are entries as a stream sends them. It ends where a fork does that
// is merged or discarded: who asks again is told that there is no such tape.
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
