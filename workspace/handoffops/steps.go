package handoffops

import (
	"context"

	"handoff/log/receipt"
	"handoff/workspace/gate"
	"handoff/workspace/once"
	"handoff/workspace/ops"
	"handoff/workspace/receipts"
)

const (
	replayed     = "Already done with the same Idempotency-Key"
	claimWords   = "want as, and with force also why, each one line of at most 500 bytes; ttl_seconds from 1 to 2678400; a claim as the server answered it"
	ackWords     = "want as, one line of at most 500 bytes, or the claim of this handoff"
	releaseWords = "want the claim of this handoff; why is one line of at most 500 bytes"
)

// These record what a successor does with a handoff.
var (
	Claim = &Op[receipts.ClaimRequest, receipts.Record]{About: ops.About{Name: "claim", Help: "claim a handoff, an issue, a task or paths, so that only you work on it", Args: "REF --as NAME", Records: true,
		Long: "Later commands of the same agent session, or from the same terminal, find the claim: ack, renew, release, done,\n" +
			"new and sync need no id, and refuse a claim that another one has replaced. Elsewhere, pass what claim prints\n" +
			"as HANDOFF_CLAIM. When the lease ends, anybody may claim the handoff. Claiming it again extends the lease.\n" +
			"Work that has no document is issue:311, task:7 or path:GLOB, as 'path:src/x/**'. task:7 and handoffs of task 7\n" +
			"exclude each other, as do paths that overlap, unless you hold both.\n" +
			"With '-- COMMAND' after REF it runs that while it holds and renews the claim, in HANDOFF_CLAIM, and releases it\n" +
			"then. If the claim is taken over, the command is ended.\n" +
			"Exit status: 1 if somebody else holds it or has taken it over, or it is done; else that of COMMAND.",
		Path: "/handoffs/{ref}/claim", Summary: "Claim a handoff, so that only you work on it", Code: 201, Again: replayed, Refuses: refused, Invalid: claimWords},
		Do: claim, Existed: func(r *receipts.Record) *bool { return &r.Existed }}
	Ack = &Op[receipts.AckRequest, receipts.Record]{About: ops.About{Name: "ack", Help: "confirm that you have read a handoff", Args: "[REF]", Records: true,
		Long: "--first-action is the next action of the document, or its first sentence, in its own words: proof that\n" +
			"it was read. Exit status: 1 if that does not match, or somebody else holds the handoff.",
		Path: "/handoffs/{ref}/ack", Summary: "Confirm that a handoff was read", Refuses: refused, Invalid: ackWords},
		Do: step(func(r receipts.AckRequest) string { return r.Claim }, func(ctx context.Context, b *receipts.Book, t receipts.Target, r receipts.AckRequest) (receipts.Record, error) {
			return b.Acknowledge(ctx, t, r.As, r.FirstAction)
		})}
	Renew = &Op[receipts.RenewRequest, receipts.Record]{About: ops.About{Name: "renew", Help: "extend the lease of a claim", Args: "[REF]", Records: true,
		Long: "The lease then ends --ttl from now. Exit status: 1 if your claim was taken over.",
		Path: "/handoffs/{ref}/renew", Summary: "Extend the lease of a claim", Refuses: refused, Invalid: releaseWords},
		Do: step(func(r receipts.RenewRequest) string { return r.Claim }, func(ctx context.Context, b *receipts.Book, t receipts.Target, r receipts.RenewRequest) (receipts.Record, error) {
			return b.Renew(ctx, t, receipts.Lease(r.TTL))
		})}
	Release = &Op[receipts.ReleaseRequest, receipts.Record]{About: ops.About{Name: "release", Help: "give a handoff back, so that it waits again", Args: "[REF]", Records: true,
		Long: "Exit status: 1 if your claim was taken over.",
		Path: "/handoffs/{ref}/release", Summary: "Give a handoff back, so that it waits again", Refuses: refused, Invalid: releaseWords},
		Do: step(func(r receipts.ReleaseRequest) string { return r.Claim }, func(ctx context.Context, b *receipts.Book, t receipts.Target, r receipts.ReleaseRequest) (receipts.Record, error) {
			return b.Release(ctx, t, receipts.Reason(r.Why))
		})}
	// Done records with the end of the work how the tests ended, or why none ran: a surface decides which may.
	Done = &Op[receipts.DoneRequest, receipts.Record]{About: ops.About{Name: "done", Help: "record that the work of a handoff is finished", Args: "[REF]", Records: true,
		Long: "The metadata of the task then no longer names it as waiting, so other clones and lead agents see that. If all phases of the\n" +
			"plan are completed, the task has ended. A person may finish a handoff without a holder, with --as.\n" +
			"The commands of checks.tests of a repository that you trust are run first, and how they end is recorded with it,\n" +
			"or that there is no evidence. An agent of a relay only tells the relay, which checks.\n" +
			"Exit status: 1 if somebody else holds it, or your claim was taken over.",
		Path: "/handoffs/{ref}/done", Summary: "Record that the work of a handoff is finished", Refuses: refused, Invalid: ackWords}, Do: done}
	Receipts = &Op[ops.None, History]{About: ops.About{Name: "receipts", Help: "print what became of a handoff, step by step", Args: "[REF]",
		Method: "GET", Path: "/handoffs/{ref}/receipts", Summary: "List what became of a handoff, step by step", Refuses: missing},
		Do: func(a *At, ctx context.Context, ref string, _ ops.None) (History, error) {
			b, t, err := a.target(ctx, ref, "")
			if err != nil {
				return History{}, err
			}
			r, life, err := b.Life(ctx, t)
			return History{r, append([]receipt.Step{}, life.Recorded()...)}, err
		}}
)

// History is what became of a handoff.
type History struct {
	receipts.Record
	Steps []receipt.Step `json:"steps" doc:"the steps, oldest first"`
}

// step is an operation of the holder of a claim, which the request may have.
func step[R any](claim func(R) string, do func(context.Context, *receipts.Book, receipts.Target, R) (receipts.Record, error)) func(*At, context.Context, string, R) (receipts.Record, error) {
	return func(a *At, ctx context.Context, ref string, r R) (receipts.Record, error) {
		b, t, err := a.target(ctx, ref, claim(r))
		if err != nil {
			return receipts.Record{}, err
		}
		return do(ctx, b, t, r)
	}
}

func claim(a *At, ctx context.Context, ref string, r receipts.ClaimRequest) (record receipts.Record, err error) {
	var existed bool
	record, existed, err = once.Do(ctx, a.Workspace, once.Request{What: "claim " + ref, Key: r.Key, Sum: once.Sum(r)}, func(*once.File, func(*once.File) error) (receipts.Record, error) {
		b, t, err := a.target(ctx, ref, r.Claim)
		if err != nil {
			return receipts.Record{}, err
		}
		return b.Claim(ctx, t, a.Request(r))
	})
	record.Existed = existed
	return record, err
}

// Request is a claim of the caller, for its session and with its rights.
func (a *At) Request(r receipts.ClaimRequest) receipt.ClaimRequest {
	return receipt.ClaimRequest{By: r.As, TTL: receipts.Lease(r.TTL), Force: r.Force, Why: receipts.Reason(r.Why), Session: a.Session, Level: a.Level}
}

func done(a *At, ctx context.Context, ref string, r receipts.DoneRequest) (receipts.Record, error) {
	b, t, err := a.target(ctx, ref, r.Claim)
	if err != nil {
		return receipts.Record{}, err
	}
	return b.FinishProven(ctx, t, r.As, func(ctx context.Context) (*receipt.Evidence, error) {
		tests, none := a.Tests()
		if r.NoTests {
			tests, none = nil, "--no-check"
		}
		found, err := gate.Check(ctx, a.Workspace, gate.Request{Commands: tests})
		if found.None = none; len(found.Checks) == 0 && a.Seen != nil {
			found.Seen = a.Seen()
		}
		return &found.Evidence, err
	})
}
