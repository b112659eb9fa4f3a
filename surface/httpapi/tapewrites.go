package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"

	"handoff"
	"handoff/internal/web/openapi"
	"handoff/tape"
	"handoff/tape/tool"
	"handoff/workspace"
)

var overFork = &openapi.Refusal{Status: http.StatusConflict, Text: "the tape is a fork that was merged or discarded: create a new fork"}

// tapeAppended is what was appended, or had been by the same key.
type tapeAppended struct {
	Tape    string       `json:"tape"`
	Entries []tape.Entry `json:"entries" doc:"the entries as stored"`
}

// appended answers for an append. What can be missing is only the fork's life.
func appended(in tapeInput, stored []tape.Entry, existed bool, err error, senseless string) (tapeAppended, bool, error) {
	if errors.Is(err, fs.ErrNotExist) {
		err = overFork
	}
	return tapeAppended{in.Tape, stored}, existed, tapeRefused(err, senseless)
}

type keyInput struct {
	Key string `header:"Idempotency-Key" doc:"idempotency key: repeating the request returns the first result and has no further effect"`
}

type afterField struct {
	After *int64 `json:"after" min:"0" max:"4611686018427387903" doc:"only if this is still the largest ID on the tape, 0 for a missing tape; otherwise 409"`
	Bare  *bool  `json:"bare" doc:"create a missing tape without the anchor session/start, for a program that writes its own"`
}

func isSet(b *bool) bool { return b != nil && *b }

type appendInput struct {
	tapeInput
	keyInput
	Body appendBody
}

type appendBody struct {
	Entries []entryBody `json:"entries" maxItems:"10000" doc:"one or more entries; all are appended, or none"`
	afterField
}

type entryBody struct {
	Kind    string          `json:"kind" doc:"message, tool_call, tool_result, event, system, error, anchor, or another"`
	Payload openapi.Object  `json:"payload" doc:"for a message: role and content"`
	Meta    *openapi.Object `json:"meta" doc:"free-form; by convention run_id"`
	Date    *string         `json:"date" format:"date-time" doc:"default: now"`
	Others  openapi.Others  `json:"-"` // stay members of the entry, but for an id, which is given anew
}

func (s *Server) appendTape(ctx context.Context, in appendInput) (tapeAppended, bool, error) {
	t, err := s.tape(in.tapeInput)
	if err != nil {
		return tapeAppended{}, false, err
	}
	r := tape.AppendRequest{Key: in.Key, After: in.Body.After, Bare: isSet(in.Body.Bare)}
	const senseless = "want one or more entries, each with a kind and at most 16 MiB, and an Idempotency-Key of at most 255 bytes"
	for _, b := range in.Body.Entries {
		e, err := b.entry()
		if err == nil && b.Kind == "" {
			err = handoff.ErrInvalid
		}
		if err != nil {
			return tapeAppended{}, false, tapeRefused(err, senseless)
		}
		r.Entries = append(r.Entries, e)
	}
	if len(r.Entries) == 0 {
		return tapeAppended{}, false, &openapi.Refusal{Status: http.StatusBadRequest, Text: senseless}
	}
	stored, existed, err := s.Tapes.Append(ctx, t, r)
	return appended(in.tapeInput, stored, existed, err, senseless)
}

func (b entryBody) entry() (tape.Entry, error) {
	var meta any
	if b.Meta != nil {
		meta = json.RawMessage(*b.Meta)
	}
	e, err := tape.NewEntry(b.Kind, json.RawMessage(b.Payload), meta)
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

type tapeHandoffInput struct {
	tapeInput
	keyInput
	Body tapeHandoffBody
}

// tapeHandoffBody has the arguments of the tool tape.handoff.
type tapeHandoffBody struct {
	Name      *string         `json:"name" doc:"anchor name; default: handoff"`
	Summary   *string         `json:"summary" doc:"summary for the successor"`
	NextSteps *string         `json:"next_steps" doc:"next steps"`
	State     *openapi.Object `json:"state" doc:"additional state"`
	Meta      *openapi.Object `json:"meta" doc:"meta of both entries; by convention run_id"`
	afterField
}

func (s *Server) handOffTape(ctx context.Context, in tapeHandoffInput) (tapeAppended, bool, error) {
	t, err := s.tape(in.tapeInput)
	if err != nil {
		return tapeAppended{}, false, err
	}
	b := in.Body
	arguments, err := json.Marshal(map[string]any{"name": b.Name, "summary": b.Summary, "next_steps": b.NextSteps, "state": b.State})
	if err != nil {
		return tapeAppended{}, false, err
	}
	const senseless = "want an object as state, at most 16 MiB in total, and an Idempotency-Key of at most 255 bytes"
	h, err := tool.Request(arguments)
	if err != nil {
		return tapeAppended{}, false, tapeRefused(err, senseless)
	}
	if b.Meta != nil {
		h.Meta = json.RawMessage(*b.Meta)
	}
	stored, existed, err := s.Tapes.HandOff(ctx, t, h, tape.AppendRequest{Key: in.Key, After: b.After, Bare: isSet(b.Bare)})
	return appended(in.tapeInput, stored, existed, err, senseless)
}

type sendInput struct {
	tapeInput
	Body sendBody
}

type sendBody struct {
	From           string  `json:"from" doc:"sender, e.g. agent:worker-1"`
	To             string  `json:"to" doc:"receiver"`
	Reason         *string `json:"reason" doc:"reason"`
	Summary        *string `json:"summary" doc:"summary for the receiver; default: that of the last anchor"`
	NextSteps      *string `json:"next_steps" doc:"next steps for the receiver; default: those of the last anchor"`
	ContextSummary *string `json:"context_summary" doc:"context for the next steps"`
}

// sendTape makes an envelope, and notes on the tape that it was handed over.
func (s *Server) sendTape(ctx context.Context, in sendInput) (tape.Envelope, error) {
	t, err := s.tapeThere(in.tapeInput)
	if err != nil {
		return tape.Envelope{}, err
	}
	b := in.Body
	r := tape.SendRequest{From: b.From, To: b.To, Reason: text(b.Reason), Summary: text(b.Summary)}
	if b.NextSteps != nil || b.ContextSummary != nil {
		r.Intention = &tape.EnvelopeIntention{NextSteps: text(b.NextSteps), ContextSummary: text(b.ContextSummary)}
	}
	e, err := t.Send(ctx, r)
	return e, tapeRefused(err, "want from and to, and a summary if the last anchor has none")
}

// text is "" for what was left out.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

type receiveInput struct {
	tapeInput
	Name string `query:"name" default:"context_handoff" doc:"anchor name"`
	As   string `query:"as" doc:"receiver; 409 if the envelope is addressed to another one"`
	Body envelopeBody
}

type envelopeBody struct {
	Type      string              `json:"type" enum:"context_handoff" doc:"envelope type"`
	From      string              `json:"from" doc:"sender"`
	To        string              `json:"to" doc:"receiver"`
	Timestamp string              `json:"timestamp" format:"date-time" doc:"UTC time: 2026-02-21T12:00:00Z"`
	Content   envelopeContentBody `json:"content" doc:"handoff content"`
}

type envelopeContentBody struct {
	Reason    *string        `json:"reason,omitempty" doc:"reason"`
	Summary   string         `json:"summary" doc:"summary for the receiver"`
	TapeRef   string         `json:"tape_ref" doc:"tape:// URI of an entry or an anchor"`
	Intention *intentionBody `json:"intention,omitempty" doc:"next steps for the receiver"`
	Ownership string         `json:"ownership" enum:"transfer" doc:"ownership: passes to the receiver"`
}

type intentionBody struct {
	NextSteps      *string `json:"next_steps,omitempty" doc:"next steps"`
	ContextSummary *string `json:"context_summary,omitempty" doc:"context for the next steps"`
}

// tapeReceived is the anchor of an envelope.
type tapeReceived struct {
	Anchor  tape.Entry `json:"anchor"`
	Existed bool       `json:"existed" doc:"true if the envelope was already received and nothing was written"`
}

func (s *Server) receiveTape(ctx context.Context, in receiveInput) (tapeReceived, bool, error) {
	t, err := s.tape(in.tapeInput)
	if err != nil {
		return tapeReceived{}, false, err
	}
	src, err := json.Marshal(in.Body)
	if err != nil {
		return tapeReceived{}, false, err
	}
	e, err := tape.ParseEnvelope(src)
	const senseless = "want an envelope that matches the schema context-handoff"
	if err != nil {
		return tapeReceived{}, false, tapeRefused(err, senseless)
	}
	anchor, existed, err := s.Tapes.Receive(ctx, t, e, workspace.ReceiveRequest{Name: in.Name, As: in.As})
	if errors.Is(err, fs.ErrNotExist) {
		err = overFork
	}
	return tapeReceived{anchor, existed}, existed, tapeRefused(err, senseless)
}
