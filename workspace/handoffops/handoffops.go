// Package handoffops is the list of the operations on handoffs and tasks. A route, the client's call, the
// row of effects and, where it prints one result, a command are made from each: see package ops. What a
// surface decides for itself is in [At]; everything else is decided here, for all of them.
package handoffops

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"

	"handoff/document/handoff"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/ops"
	"handoff/workspace/receipts"
)

type (
	// Op is an operation on the handoffs of a workspace or a server.
	Op[R, T any] = ops.Op[*At, R, T]
	// Operation is an Op of any types.
	Operation = ops.Any[*At]
	// Place has handoffs: it is Here, or a client's.
	Place = ops.Place[*At]
	// Here are the handoffs of a workspace.
	Here struct{ *At }
)

// Perform does an operation: see [ops.Op.On].
func (h Here) Perform(ctx context.Context, o Operation, ref string, request, result any) error {
	return o.Run(ctx, h.At, ref, request, result)
}

// At is where operations are done, and who asks for them.
type At struct {
	*workspace.Workspace
	Dir     string          // where relative paths start; the root if it is ""
	Who     receipts.Caller // the zero value if that is not known, as on a server
	Session receipt.Session // whose end releases what is claimed; zero for none
	Level   string          // of what is claimed: see [receipt.ClaimRequest]
	// Find finds the handoff that a caller from outside names, who may see only the workspace; nil for a
	// caller that may name any file.
	Find func(ctx context.Context, ref string) (documents.Entry, *handoff.Document, error)
	// Left is the number of tokens that a session has left, if that is known; nil if it never is.
	Left func(host, session string) (tokens int, ok bool)
	// Tests returns the commands that may be run to find out whether work is done that is said to be,
	// or why none may.
	Tests func() (commands [][]string, none string)
	// Seen returns what the record of the caller's session shows of its checks, "" for nothing; nil for a server.
	Seen func() string
}

// Operations are all operations on handoffs; Tasks are those on tasks.
var (
	Operations = []Operation{Next, NextClaim, Receipts, Claim, Ack, Renew, Release, Done, Brief, Search, Overview, List, Get, Show}
	Tasks      = []Operation{TaskList, TaskGet}
)

// The codes of refusals, and the answers to an invalid request.
var (
	missing = []int{404}
	refused = []int{400, 404, 409}
)

// find finds a handoff and reads it.
func (a *At) find(ctx context.Context, ref string) (documents.Entry, *handoff.Document, error) {
	if a.Find != nil {
		return a.Find(ctx, ref)
	}
	e, err := documents.Find(ctx, a.Workspace, cmp.Or(a.Dir, a.Root), ref)
	if err != nil {
		return e, nil, err
	}
	doc, err := documents.Read(a.Workspace, e)
	return e, doc, err
}

// target is the handoff that an operation is about, and the book in which its steps are. A claim may
// be for a document that was moved or deleted since.
func (a *At) target(ctx context.Context, ref, claim string) (*receipts.Book, receipts.Target, error) {
	t := receipts.Target{Dir: cmp.Or(a.Dir, a.Root), Ref: ref, Claim: cmp.Or(strings.TrimSpace(claim), a.Who.Claim), Who: a.Who}
	b, err := receipts.Open(a.Workspace)
	_, work, _ := receipt.ParseWork(ref) // which has no document
	if err != nil || ref == "" || a.Find == nil || work {
		return b, t, err
	}
	e, _, err := a.Find(ctx, ref)
	if t.Ref = e.Path; err == nil {
		return b, t, nil
	}
	if t.Claim != "" && errors.Is(err, fs.ErrNotExist) {
		t.Ref = ""
		if r, _, known := b.Life(ctx, t); known == nil && r.Path == ref {
			return b, t, nil
		}
	}
	return b, t, err
}
