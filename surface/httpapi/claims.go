package httpapi

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"reflect"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/web/openapi"
	"handoff/log/receipt"
	"handoff/surface/problem"
	"handoff/workspace"
	"handoff/workspace/once"
	"handoff/workspace/receipts"
)

type stepInput[B any] struct {
	handoffInput
	Body B
}

// The words for requests that are invalid.
const (
	claimWords   = "want as, and with force also why, each one line of at most 500 bytes; ttl_seconds from 1 to 2678400; a claim as the server answered it"
	ackWords     = "want as, one line of at most 500 bytes, or the claim of this handoff"
	releaseWords = "want the claim of this handoff; why is one line of at most 500 bytes"
)

// receiptProblem explains an invalid request; other errors are in [kinds].
func receiptProblem(err error, invalid string) error {
	if errors.Is(err, handoff.ErrInvalid) && !errors.Is(err, receipt.ErrRefused) {
		return &openapi.Refusal{Status: http.StatusBadRequest, Text: invalid}
	}
	return err
}

// step serves a step of the receipts. The claim of a body may be for a document that
// was moved or deleted since.
func step[B any](s *Server, words string, claim func(B) string, do func(context.Context, *receipts.Book, receipts.Target, B) (receipts.Record, error)) func(context.Context, stepInput[B]) (receipts.Record, error) {
	return func(ctx context.Context, in stepInput[B]) (r receipts.Record, err error) {
		_, book, err := s.book(ctx)
		if err != nil {
			return r, err
		}
		t, err := s.target(ctx, book, in.Ref, strings.TrimSpace(claim(in.Body)))
		if err != nil {
			return r, receiptProblem(err, words)
		}
		r, err = do(ctx, book, t, in.Body)
		s.feed.Wake()
		if err == nil && r.Unlinked != nil {
			s.Log.Warn("a step is recorded, but the metadata is not up to date", "handoff", r.Path, "error", r.Unlinked)
		}
		return r, receiptProblem(err, words)
	}
}

func (s *Server) book(ctx context.Context) (*workspace.Workspace, *receipts.Book, error) {
	ws, err := s.workspace(ctx)
	if err != nil {
		return nil, nil, err
	}
	book, err := receipts.Open(ws)
	return ws, book, err
}

// target is the handoff that a request names.
func (s *Server) target(ctx context.Context, book *receipts.Book, ref, claim string) (receipts.Target, error) {
	ws, _, e, err := s.find(ctx, ref)
	if err == nil {
		return receipts.Target{Dir: ws.Root, Ref: e.Path, Claim: claim}, nil
	}
	if claim != "" && errors.Is(err, error(noHandoff)) {
		t := receipts.Target{Claim: claim}
		if r, _, known := book.Life(ctx, t); known == nil && r.Path == ref {
			return t, nil
		}
	}
	return receipts.Target{}, err
}

func (s *Server) claimHandoff(ctx context.Context, in stepInput[receipts.ClaimRequest]) (receipts.Record, bool, error) {
	return keyed(ctx, s, once.Request{What: "claim " + in.Ref, Key: in.Body.Key, Sum: once.Sum(in.Body)}, func(*once.File, func(*once.File) error) (receipts.Record, error) {
		return step(s, claimWords, func(receipts.ClaimRequest) string { return "" },
			func(ctx context.Context, b *receipts.Book, t receipts.Target, c receipts.ClaimRequest) (receipts.Record, error) {
				return b.Claim(ctx, t, receipt.ClaimRequest{By: c.As, TTL: receipts.Lease(c.TTL), Force: c.Force, Why: c.Why})
			})(ctx, in)
	})
}

// keyed does something once for an idempotency key; without one, each time. See
// [once.Do] for its arguments.
func keyed[T any](ctx context.Context, s *Server, req once.Request, do func(before *once.File, intend func(*once.File) error) (T, error)) (result T, existed bool, err error) {
	switch {
	case req.Key == "":
		result, err = do(nil, func(*once.File) error { return nil })
		return result, false, err
	case len(req.Key) > once.MaxKey:
		return result, false, longKey
	}
	ws, err := s.workspace(ctx)
	if err != nil {
		return result, false, err
	}
	book, err := once.Open(ws)
	if err != nil {
		return result, false, err
	}
	return once.Do(ctx, book, req, do)
}

// nextClaimed is the best handoff, claimed.
type nextClaimed struct {
	Next    receipts.Item   `json:"next" doc:"the handoff as it waited"`
	Claimed receipts.Record `json:"claimed" doc:"what became of it"`
}

var nothingWaits = refuse(problem.NothingWaits, "no handoff waits")

func (s *Server) claimNext(ctx context.Context, in struct{ Body receipts.NextRequest }) (nextClaimed, bool, error) {
	return keyed(ctx, s, once.Request{What: "next", Key: in.Body.Key, Sum: once.Sum(in.Body)}, func(*once.File, func(*once.File) error) (nextClaimed, error) {
		_, book, err := s.book(ctx)
		if err != nil {
			return nextClaimed{}, err
		}
		item, record, ok, err := book.ClaimNext(ctx, receipts.Caller{}, in.Body.Task, receipt.ClaimRequest{By: in.Body.As, TTL: receipts.Lease(in.Body.TTL)})
		s.feed.Wake()
		if err == nil && !ok {
			err = nothingWaits
		}
		return nextClaimed{item, record}, receiptProblem(err, claimWords)
	})
}

type nextInput struct {
	Task  *int `query:"task" min:"0" max:"999999999" doc:"only this task number"`
	Limit int  `query:"limit" default:"10" min:"0" max:"1000" doc:"list at most this many others that wait, and as many that are claimed"`
}

// nextHandoff lists what waits, and logs folders that cannot be read.
func (s *Server) nextHandoff(ctx context.Context, in nextInput) (receipts.Listing, error) {
	ws, book, err := s.book(ctx)
	if err != nil {
		return receipts.Listing{}, err
	}
	if err := ws.Missing(); errors.Is(err, fs.ErrNotExist) {
		return receipts.Queue{}.List(0), nil
	}
	q, err := book.Next(ctx, in.Task)
	if err != nil && (ctx.Err() != nil || len(q.Waiting)+len(q.Held) == 0) {
		return receipts.Listing{}, err
	}
	if err != nil {
		s.Log.Warn("some tasks cannot be read", "error", err)
	}
	return q.List(in.Limit), nil
}

// history is what became of a handoff.
type history struct {
	receipts.Record
	Steps []receipt.Step `json:"steps" doc:"the steps, oldest first"`
}

func (s *Server) getReceipts(ctx context.Context, in handoffInput) (history, error) {
	ws, _, e, err := s.find(ctx, in.Ref)
	if err != nil {
		return history{}, err
	}
	book, err := receipts.Open(ws)
	if err != nil {
		return history{}, err
	}
	r, life, err := book.Life(ctx, receipts.Target{Dir: ws.Root, Ref: e.Path})
	return history{r, append([]receipt.Step{}, life.Recorded()...)}, err
}

// claimOperations write handoffs and their receipts.
func (s *Server) claimOperations() []openapi.Operation {
	const tag, replayed = "handoffs", "Already done with the same Idempotency-Key"
	refused := refuses(400, 404, 409)
	post := openapi.Either("POST", "/specs/{n}/handoffs", 201, 200, "Already written with the same Idempotency-Key; or dry_run: nothing is written", s.postHandoff)
	return []openapi.Operation{
		post.Says(tag, "handoff_new", "Write a handoff, lint it and link it", append(refuses(400, 404, 409), openapi.JSON[refusedHandoff](422, "It has lint errors, or the values are invalid: nothing is written"))...),
		openapi.Call("GET", "/handoffs/next", 200, s.nextHandoff).Says(tag, "handoff_next", "List the handoffs that wait, the best first"),
		openapi.Either("POST", "/handoffs/next/claim", 201, 200, replayed, s.claimNext).Says(tag, "handoff_next_claim", "Claim the best handoff that waits", refuses(400, 404)...),
		openapi.Raw("GET", "/handoffs/events", s.streamHandoffs).
			Says(tag, "handoff_stream_events", "Stream what happens to handoffs", append([]openapi.Answer{eventStream(handoffEvent)}, refuses(409)...)...),
		openapi.Call("GET", "/handoffs/{ref}/receipts", 200, s.getReceipts).Says(tag, "handoff_receipts", "List what became of a handoff, step by step", refuses(404)...),
		openapi.Either("POST", "/handoffs/{ref}/claim", 201, 200, replayed, s.claimHandoff).Says(tag, "handoff_claim", "Claim a handoff, so that nobody else does", refused...),
		openapi.Call("POST", "/handoffs/{ref}/ack", 200, step(s, ackWords, func(b receipts.AckRequest) string { return b.Claim },
			func(ctx context.Context, b *receipts.Book, t receipts.Target, r receipts.AckRequest) (receipts.Record, error) {
				return b.Acknowledge(ctx, t, r.As, r.FirstAction)
			})).Says(tag, "handoff_ack", "Confirm that a handoff was read", append(refused, queued(reflect.TypeFor[receipts.Record]()))...),
		openapi.Call("POST", "/handoffs/{ref}/renew", 200, step(s, releaseWords, func(b receipts.RenewRequest) string { return b.Claim },
			func(ctx context.Context, b *receipts.Book, t receipts.Target, r receipts.RenewRequest) (receipts.Record, error) {
				return b.Renew(ctx, t, receipts.Lease(r.TTL))
			})).Says(tag, "handoff_renew", "Extend the lease of a claim", append(refused, queued(reflect.TypeFor[receipts.Record]()))...),
		openapi.Call("POST", "/handoffs/{ref}/release", 200, step(s, releaseWords, func(b receipts.ReleaseRequest) string { return b.Claim },
			func(ctx context.Context, b *receipts.Book, t receipts.Target, r receipts.ReleaseRequest) (receipts.Record, error) {
				return b.Release(ctx, t, r.Why)
			})).Says(tag, "handoff_release", "Give a handoff back, so that it waits again", append(refused, queued(reflect.TypeFor[receipts.Record]()))...),
		openapi.Call("POST", "/handoffs/{ref}/done", 200, step(s, ackWords, func(b receipts.DoneRequest) string { return b.Claim },
			func(ctx context.Context, b *receipts.Book, t receipts.Target, r receipts.DoneRequest) (receipts.Record, error) {
				return b.Finish(ctx, t, r.As)
			})).Says(tag, "handoff_done", "Record that the work of a handoff is finished", append(refused, queued(reflect.TypeFor[receipts.Record]()))...),
	}
}
