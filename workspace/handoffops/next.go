package handoffops

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"handoff/workspace/documents"
	"handoff/workspace/once"
	"handoff/workspace/ops"
	"handoff/workspace/plans"
	"handoff/workspace/receipts"
)

// These find the handoff to take up. `handoff next` does both.
var (
	Next = &Op[NextRequest, NextList]{About: ops.About{Name: "next", Whole: true, Partial: true,
		Method: "GET", Path: "/handoffs/next", Summary: "List the handoffs that wait, the best first"}, Do: next}
	NextClaim = &Op[receipts.NextRequest, NextClaimed]{About: ops.About{Name: "next claim", Whole: true, Records: true,
		Path: "/handoffs/next/claim", ID: "handoff_next_claim", Summary: "Claim the best handoff that waits", Code: 201, Again: replayed, Refuses: refused, Invalid: claimWords},
		Do: func(a *At, ctx context.Context, _ string, r receipts.NextRequest) (n NextClaimed, err error) {
			var existed bool
			n, existed, err = once.Do(ctx, a.Workspace, once.Request{What: "next", Key: r.Key, Sum: once.Sum(r)}, func(*once.File, func(*once.File) error) (NextClaimed, error) {
				return a.claimNext(ctx, r)
			})
			n.Claimed.Existed = existed
			return n, err
		},
		Existed: func(n *NextClaimed) *bool { return &n.Claimed.Existed }}
)

// NextRequest asks for what waits.
type NextRequest struct {
	Task  *int   `query:"task" min:"0" max:"999999999" doc:"only this task number"`
	Named string `json:"-"` // what the plan of another tool calls the task, instead of a number; for callers in the workspace
	Limit int    `query:"limit" default:"10" min:"0" max:"1000" doc:"list at most this many others that wait, and as many that are claimed" flag:"n=COUNT" preset:"10" least:"0" usage:"most others to list that wait, and as many that are held"`
}

// NextList is what waits, and what to look at besides.
type NextList struct {
	receipts.Listing
	Elsewhere []receipts.Elsewhere `json:"elsewhere,omitempty" doc:"what waits in other working trees of the repository: it can only be taken up there"`
	Plan      string               `json:"plan,omitempty" doc:"what the plan of another tool has next; only if no handoff waits that says it"`
	Note      string               `json:"note,omitempty" doc:"why there may be handoffs of the project that are not here"`
}

// NextClaimed is the best handoff, claimed.
type NextClaimed struct {
	Next    receipts.Item   `json:"next" doc:"the handoff as it waited"`
	Claimed receipts.Record `json:"claimed" doc:"what became of it"`
}

// ErrNothingWaits is the error of [NextClaim] if there is no handoff to claim.
var ErrNothingWaits = nothingWaits{}

type nothingWaits struct{}

func (nothingWaits) Error() string        { return "no handoff waits" }
func (nothingWaits) Is(target error) bool { return target == fs.ErrNotExist }

// next lists what waits. A tree without handoffs is an error, and may have a plan.
func next(a *At, ctx context.Context, _ string, r NextRequest) (l NextList, err error) {
	b, err := receipts.Open(a.Workspace)
	if err != nil {
		return l, err
	}
	q, only := receipts.Queue{}, documents.Only(r.Task, r.Named)
	if err = a.Missing(); !errors.Is(err, fs.ErrNotExist) {
		q, err = b.Best(ctx, only, r.Limit+1)
		none := len(q.Waiting)+len(q.Held) == 0
		if err != nil && none && len(q.Unclear) == 0 {
			return l, err
		}
		if none && err == nil {
			err = a.WhyNone(ctx, r.Named)
		}
		l.Elsewhere = b.Elsewhere(ctx, only)
	}
	l.Listing, l.Note = q.List(r.Limit), strings.TrimSpace(a.NotHere())
	if l.Next == nil || strings.TrimSpace(l.Next.NextAction) == "" {
		l.Plan = plans.Line(a.Workspace)
	}
	return l, err
}

// WhyNone returns an error if no handoff waits because the configuration matches none, or there is no such task.
func (a *At) WhyNone(ctx context.Context, named string) error {
	err := a.Unmatched(ctx)
	if err == nil && named != "" {
		_, _, err = plans.Take(a.Workspace, named, 0)
	}
	return err
}

// claimNext claims the best handoff that waits.
func (a *At) claimNext(ctx context.Context, r receipts.NextRequest) (NextClaimed, error) {
	b, err := receipts.Open(a.Workspace)
	if err != nil {
		return NextClaimed{}, err
	}
	item, record, ok, err := b.ClaimNext(ctx, a.Who, documents.Only(r.Task, r.Named), a.Request(receipts.ClaimRequest{As: r.As, TTL: r.TTL}))
	if err == nil && !ok {
		err = ErrNothingWaits
	}
	return NextClaimed{item, record}, err
}
