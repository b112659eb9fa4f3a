package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"handoff/internal/web/openapi"
	"handoff/log/tape"
	"handoff/workspace/tapeops"
	"handoff/workspace/tapes"
)

// appendInput is a request to append.
type appendInput struct {
	tapeInput
	Body appendBody
}

// appendBody is a [tape.AppendRequest] in JSON: new entries have no ID, and may
// have no date.
type appendBody struct {
	Entries []entryBody `json:"entries" maxItems:"10000" doc:"one or more entries; all are appended, or none"`
	After   *int64      `json:"after" min:"0" max:"4611686018427387903" doc:"only if this is still the largest ID on the tape, 0 for a missing tape; otherwise 409"`
	Bare    bool        `json:"bare,omitempty" doc:"create a missing tape without the anchor session/start, for a program that writes its own"`
	Key     string      `json:"-" header:"Idempotency-Key" doc:"idempotency key: repeating the request returns the first result and has no further effect"`
}

type entryBody struct {
	Kind    string          `json:"kind" doc:"message, tool_call, tool_result, event, system, error, anchor, or another"`
	Payload json.RawMessage `json:"payload" type:"object" doc:"for a message: role and content"`
	Meta    json.RawMessage `json:"meta,omitempty" type:"object" doc:"free-form; by convention run_id"`
	Date    *string         `json:"date" format:"date-time" doc:"default: now"`
	Others  openapi.Others  `json:"-"` // further members of the entry; an ID is ignored, a new one is assigned
}

func (s *Server) appendTape(ctx context.Context, in appendInput) (a tapes.Appended, existed bool, err error) {
	t, err := s.tape(in.Tape)
	if err != nil {
		return a, false, err
	}
	r := tape.AppendRequest{Key: in.Body.Key, After: in.Body.After, Bare: in.Body.Bare}
	for _, b := range in.Body.Entries {
		e, err := b.entry()
		if err != nil {
			return a, false, tapeProblem(err, &tapeops.Append.About)
		}
		r.Entries = append(r.Entries, e)
	}
	if len(r.Entries) == 0 {
		return a, false, invalidEntries
	}
	a, err = t.Append(ctx, r)
	return a, a.Existed, tapeProblem(err, &tapeops.Append.About)
}

var invalidEntries = &openapi.Refusal{Status: http.StatusBadRequest, Text: tapeops.Append.Invalid}

func (b entryBody) entry() (tape.Entry, error) {
	if b.Kind == "" {
		return tape.Entry{}, invalidEntries
	}
	var meta any
	if b.Meta != nil {
		meta = b.Meta
	}
	e, err := tape.NewEntry(b.Kind, b.Payload, meta)
	for _, m := range b.Others {
		if m.Name != "id" {
			e.Extra = append(e.Extra, tape.Field{Name: m.Name, Value: json.RawMessage(m.Value)})
		}
	}
	if b.Date == nil || err != nil {
		return e, err
	}
	e.Date = *b.Date
	if _, ok := e.Time(); !ok {
		err = &openapi.Refusal{Status: http.StatusBadRequest, Text: "date: want ISO 8601"}
	}
	return e, err
}
