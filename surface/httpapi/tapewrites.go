package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"handoff/internal/web/openapi"
	"handoff/problem"
	"handoff/tape"
	"handoff/workspace/tapes"
)

var (
	endedFork  = refuse(problem.ForkEnded, "the tape is a fork that was merged or discarded: create a new fork")
	lostParent = &openapi.Refusal{Status: http.StatusNotFound, Text: "the fork or the tape it was forked from is gone"}
	nameTaken  = refuse(problem.Exists, "a tape with that name already exists")
)

// The error texts of the operations that write to tapes. On a missing tape, those that
// would create it only fail for a fork that ended.
var (
	appendWords  = tapeWords{invalid: "want one or more entries, each with a kind and at most 16 MiB, and an Idempotency-Key of at most 255 bytes", missing: endedFork}
	handoffWords = tapeWords{invalid: "want an object as state, at most 16 MiB in total, and an Idempotency-Key of at most 255 bytes", missing: endedFork}
	forkWords    = tapeWords{taken: nameTaken, invalid: "want a valid tape name in to, at most one of from_anchor and from_entry, intention or its members but not both, a tape that was not merged or discarded, and an Idempotency-Key of at most 255 bytes"}
	mergeWords   = tapeWords{invalid: "the tape is not a fork, or it is already being merged or discarded", missing: lostParent}
	resetWords   = tapeWords{invalid: "a fork refers to the tape: archive it, or merge or discard that fork first; an Idempotency-Key has at most 255 bytes"}
	deleteWords  = tapeWords{invalid: "the tape is a fork: merge or discard it instead; or a fork refers to the tape: archive it, or end that fork first"}
	sendWords    = tapeWords{invalid: "want from and to, a summary if the last anchor has none, and intention or its members but not both"}
	receiveWords = tapeWords{invalid: "want an envelope that matches the schema context-handoff", missing: endedFork}
)

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

func appendEntries(t *tapes.Tape, ctx context.Context, b appendBody) (tapes.Appended, error) {
	r := tape.AppendRequest{Key: b.Key, After: b.After, Bare: b.Bare}
	for _, b := range b.Entries {
		e, err := b.entry()
		if err != nil {
			return tapes.Appended{}, err
		}
		r.Entries = append(r.Entries, e)
	}
	if len(r.Entries) == 0 {
		return tapes.Appended{}, &openapi.Refusal{Status: http.StatusBadRequest, Text: appendWords.invalid}
	}
	return t.Append(ctx, r)
}

func (b entryBody) entry() (tape.Entry, error) {
	if b.Kind == "" {
		return tape.Entry{}, &openapi.Refusal{Status: http.StatusBadRequest, Text: appendWords.invalid}
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

// fork may be repeated after the tape was deleted, so the tape need not exist.
func fork(t *tapes.Tape, ctx context.Context, r tapes.ForkRequest) (tape.ForkResult, error) {
	if r.To == "" && r.Key == "" {
		return tape.ForkResult{}, &openapi.Refusal{Status: http.StatusBadRequest, Text: "want to, the name of the new tape, or an Idempotency-Key to make the name from"}
	}
	return t.Fork(ctx, r)
}

type createTapeInput struct {
	tapeInput
	Bare bool `query:"bare" doc:"create the tape without the anchor session/start, for programs that write their own, as Bub does"`
}

func (s *Server) createTape(ctx context.Context, in createTapeInput) (tapes.Created, bool, error) {
	t, err := s.tape(in.Tape)
	if err != nil {
		return tapes.Created{}, false, err
	}
	c, err := t.Create(ctx, in.Bare)
	return c, !c.Created, tapeWords{missing: endedFork}.problem(err)
}

type deleteTapeInput struct {
	tapeInput
	tapes.DeleteRequest
}

func (s *Server) deleteTape(ctx context.Context, in deleteTapeInput) (tapes.Archived, error) {
	t, err := s.existing(in.Tape)
	if err != nil {
		return tapes.Archived{}, err
	}
	a, err := t.Delete(ctx, in.DeleteRequest)
	return a, deleteWords.problem(err)
}

type receiveInput struct {
	tapeInput
	tapes.ReceiveRequest
	Body tape.Envelope
}

func (s *Server) receiveTape(ctx context.Context, in receiveInput) (r tapes.Received, existed bool, err error) {
	t, err := s.tape(in.Tape)
	if err != nil {
		return r, false, err
	}
	if err = in.Body.Check(); err == nil {
		r, err = t.Receive(ctx, in.Body, in.ReceiveRequest)
	}
	return r, r.Existed, receiveWords.problem(err)
}
