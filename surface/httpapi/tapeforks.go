package httpapi

import (
	"context"
	"errors"
	"io/fs"
	"net/http"

	"handoff/internal/web/openapi"
	"handoff/tape"
	"handoff/workspace"
)

type forkInput struct {
	tapeInput
	keyInput
	Body forkBody
}

type forkBody struct {
	To                *string `json:"to" doc:"name of the new tape; with an Idempotency-Key it can be left out and is made from the key"`
	FromAnchor        *string `json:"from_anchor" doc:"start at the last anchor with this name"`
	FromEntry         *int64  `json:"from_entry" doc:"start at the last entry with this ID"`
	Until             *string `json:"until" doc:"stop before the next anchor with this name; default: latest, the end of the tape"`
	NextSteps         *string `json:"next_steps" doc:"purpose of the fork"`
	ContextSummary    *string `json:"context_summary" doc:"context for the fork"`
	TriggerOnComplete *string `json:"trigger_on_complete" doc:"what happens when the fork ends"`
	Link              *bool   `json:"link" doc:"refer to the entries instead of copying them"`
}

// forkTape may be asked again when the tape is over by now: so it need not be
// there.
func (s *Server) forkTape(ctx context.Context, in forkInput) (f tape.ForkResult, existed bool, err error) {
	t, err := s.tape(in.tapeInput)
	if err != nil {
		return f, false, err
	}
	b := in.Body
	if text(b.To) == "" && in.Key == "" {
		return f, false, &openapi.Refusal{Status: http.StatusBadRequest, Text: "want to, the name of the new tape, or an Idempotency-Key to make the name from"}
	}
	r := tape.ForkRequest{To: text(b.To), FromAnchor: b.FromAnchor, FromEntry: b.FromEntry, Until: text(b.Until), Link: b.Link != nil && *b.Link, Key: in.Key}
	if b.NextSteps != nil || b.ContextSummary != nil || b.TriggerOnComplete != nil {
		r.Intention = &tape.Intention{NextSteps: text(b.NextSteps), ContextSummary: text(b.ContextSummary), TriggerOnComplete: b.TriggerOnComplete}
	}
	f, err = t.Fork(ctx, r)
	if errors.Is(err, fs.ErrExist) && !errors.Is(err, tape.ErrKeyUsed) {
		err = &openapi.Refusal{Status: http.StatusConflict, Text: "a tape with that name already exists"}
	}
	return f, f.Existed, tapeRefused(err, "want a valid tape name in to, at most one of from_anchor and from_entry, a tape that was not merged or discarded, and an Idempotency-Key of at most 255 bytes")
}

type mergeInput struct {
	tapeInput
	Body struct {
		KeepAnchors *bool `json:"keep_anchors" doc:"the fork's anchors also cut the parent's context"`
	}
}

const noFork = "the tape is not a fork, or it is already being merged or discarded"

func (s *Server) mergeTape(ctx context.Context, in mergeInput) (tape.MergeResult, error) {
	t, err := s.tapeThere(in.tapeInput)
	if err != nil {
		return tape.MergeResult{}, err
	}
	r, err := t.Merge(ctx, tape.MergeRequest{KeepAnchors: in.Body.KeepAnchors != nil && *in.Body.KeepAnchors})
	return r, noParent(err)
}

type discardInput struct {
	tapeInput
	Body struct {
		Reason *string `json:"reason" doc:"reason"`
	}
}

func (s *Server) discardTape(ctx context.Context, in discardInput) (tape.MergeResult, error) {
	t, err := s.tapeThere(in.tapeInput)
	if err != nil {
		return tape.MergeResult{}, err
	}
	r, err := t.Discard(ctx, text(in.Body.Reason))
	return r, noParent(err)
}

// noParent answers for a fork that cannot be ended.
func noParent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err = &openapi.Refusal{Status: http.StatusNotFound, Text: "the fork or the tape it was forked from is gone"}
	}
	return tapeRefused(err, noFork)
}

type resetInput struct {
	tapeInput
	keyInput
	Body struct {
		Archive *bool   `json:"archive" doc:"archive the entries; default: true"`
		Confirm *string `json:"confirm" doc:"the tape's name, to confirm that entries are destroyed without an archive"`
	}
}

// resetTape begins a tape anew. To destroy what it has its name must be said
// twice.
func (s *Server) resetTape(ctx context.Context, in resetInput) (workspace.TapeReset, error) {
	t, err := s.tapeThere(in.tapeInput)
	if err != nil {
		return workspace.TapeReset{}, err
	}
	r := tape.ResetRequest{NoArchive: in.Body.Archive != nil && !*in.Body.Archive, Key: in.Key}
	archived, err := s.Tapes.Reset(ctx, t, r, text(in.Body.Confirm) == t.Name())
	return workspace.TapeReset{Tape: t.Name(), Archived: archived}, tapeRefused(err, "a fork refers to the tape: archive it, or merge or discard that fork first; an Idempotency-Key has at most 255 bytes")
}

type createTapeInput struct {
	tapeInput
	Bare bool `query:"bare" doc:"create the tape without the anchor session/start, for programs that write their own, as Bub does"`
}

// tapeCreated is a tape that was begun, or is there.
type tapeCreated struct {
	Tape    string `json:"tape"`
	Created bool   `json:"created" doc:"false if the tape already existed"`
}

func (s *Server) createTape(_ context.Context, in createTapeInput) (tapeCreated, bool, error) {
	t, err := s.tape(in.tapeInput)
	if err != nil {
		return tapeCreated{}, false, err
	}
	created, err := s.Tapes.Create(t, in.Bare)
	if errors.Is(err, fs.ErrNotExist) {
		err = overFork
	}
	return tapeCreated{t.Name(), created}, !created, tapeRefused(err, "")
}

type deleteTapeInput struct {
	tapeInput
	Archive bool   `query:"archive" default:"true" doc:"archive the entries"`
	Confirm string `query:"confirm" doc:"the tape's name, to confirm that entries are destroyed without an archive"`
}

// deleteTape takes a tape away. To destroy what it has its name must be said
// twice.
func (s *Server) deleteTape(ctx context.Context, in deleteTapeInput) (workspace.TapeReset, error) {
	t, err := s.tapeThere(in.tapeInput)
	if err != nil {
		return workspace.TapeReset{}, err
	}
	archived, err := s.Tapes.Delete(ctx, t, tape.DeleteRequest{NoArchive: !in.Archive}, in.Confirm == t.Name())
	return workspace.TapeReset{Tape: t.Name(), Archived: archived}, tapeRefused(err, "the tape is a fork: merge or discard it instead; or a fork refers to the tape: archive it, or end that fork first")
}
