package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"handoff/document/handoff"
	"handoff/internal/web/openapi"
	"handoff/log/receipt"
	"handoff/surface/problem"
	"handoff/workspace/documents"
	"handoff/workspace/handoffops"
	"handoff/workspace/once"
	"handoff/workspace/ops"
	"handoff/workspace/receipts"
)

// handoffGroup serves the operations on handoffs.
func (s *Server) handoffGroup() group[*handoffops.At] {
	return group[*handoffops.At]{name: "handoff", tag: "handoffs", named: named[handoffInput](), all: s.handoffs,
		at:      func(ctx context.Context, _ string, _ *ops.About) (*handoffops.At, error) { return s.handoffs(ctx) },
		problem: func(err error, a *ops.About) error { return receiptProblem(err, a.Invalid) },
		after: func(a *ops.About, result any, err error) {
			if a.Records {
				s.feed.Wake()
			}
			if r, ok := result.(*receipts.Record); ok && err == nil && r.Unlinked != nil {
				s.Log.Warn("a step is recorded, but the metadata is not up to date", "handoff", r.Path, "error", r.Unlinked)
			}
		}}
}

// handoffs are the handoffs as a request sees them: it may name those of the workspace, and only the
// claim that it passes is its own.
func (s *Server) handoffs(ctx context.Context) (*handoffops.At, error) {
	ws, err := s.workspace(ctx)
	return &handoffops.At{Workspace: ws,
		Find: func(ctx context.Context, ref string) (documents.Entry, *handoff.Document, error) {
			return read(ctx, ws, ref)
		},
		Left:  s.Left,
		Tests: func() ([][]string, string) { return nil, "no program is started for a request to the server" },
	}, err
}

// receiptProblem explains an invalid request; other errors are in [refusal.Of].
func receiptProblem(err error, invalid string) error {
	switch {
	case errors.Is(err, ops.ErrCursor):
		return cursorProblem(err)
	case errors.Is(err, once.ErrLongKey):
		return longKey
	case errors.Is(err, error(handoffops.ErrNothingWaits)):
		return refuse(problem.NothingWaits, err.Error())
	case errors.Is(err, handoff.ErrInvalid) && !errors.Is(err, receipt.ErrRefused):
		return &openapi.Refusal{Status: http.StatusBadRequest, Text: invalid}
	}
	return err
}

// handoffOperations are those on handoffs and tasks that answer with JSON, and the stream of events.
func (s *Server) handoffOperations() []openapi.Operation {
	post := openapi.Either("POST", "/specs/{n}/handoffs", 201, 200, "Already written with the same Idempotency-Key; or dry_run: nothing is written", s.postHandoff)
	for i, a := range post.Answers {
		post.Answers[i] = located(a)
	}
	text := func(what string, op openapi.Operation) openapi.Operation {
		op.Answers = []openapi.Answer{{Code: 200, What: what, Media: markdown}}
		return op
	}
	texts := map[string]openapi.Operation{
		handoffops.Brief.Name: text("The brief", openapi.Raw("GET", handoffops.Brief.Path, s.getBrief)),
		handoffops.Show.Name:  text("The document", openapi.Raw("GET", handoffops.Show.Path, s.getDocument)),
	}
	return slices.Concat([]openapi.Operation{
		post.Says("handoffs", "handoff_new", "Write a handoff, lint it and link it", append(refuses(400, 404, 409), openapi.JSON[refusedHandoff](422, "It has lint errors, or the values are invalid: nothing is written"))...),
		openapi.Raw("GET", "/handoffs/events", s.streamHandoffs).
			Says("handoffs", "handoff_stream_events", "Stream what happens to handoffs", append([]openapi.Answer{numbered(handoffEvent)}, refuses(409)...)...),
	}, served(s, s.handoffGroup(), handoffops.Operations, texts), served(s, s.taskGroup(), handoffops.Tasks, nil))
}
