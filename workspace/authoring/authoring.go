// Package authoring carries out `handoff new` and its counterparts over MCP and HTTP: whether the claims of the task
// allow it, what becomes of them, which pinned items are taken over, and that a request with an idempotency key takes
// effect once. It knows no flags.
package authoring

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"handoff/document/handoff"
	"handoff/log/receipt"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/once"
	"handoff/workspace/pins"
	"handoff/workspace/receipts"
)

// Request is the handoff to write, and who writes it. Unfenced says that it may be written, and marked, although it
// is unknown whether the caller's claim is stale; Replace is the handoff that it replaces, as the caller names it.
type Request struct {
	create.Request
	Carry bool   // take over the pinned items of the last handoff
	Key   string // idempotency key; "" for none
	Facts bool   // Prepare adds facts
	Claim string // of the handoff that it continues, if the request names it

	Who   receipts.Caller
	Dir   string                // where the path of Replace starts
	How   string                // what recorded that the handoff replaces another one
	Force *receipt.ClaimRequest // takes over what somebody else holds of the task, which else forbids the handoff; nil for none

	// Session, if set, returns what the record of the author's session says: what marks its claims, and what subagents were
	// asked that reported back without having called a tool. It is asked when the handoff is written.
	Session func(context.Context) (mark func(*handoff.Document) string, idle []string)

	// Prepare, if set, completes a request that may be carried out. It is not called if an earlier request with
	// the key has written the handoff.
	Prepare func(*create.Request) error
	// Written, if set, is called when the handoff is written, before the request counts as
	// done: if the process is killed, a repetition calls it again.
	Written func(path string)
}

// Asked is all that decides what a request writes. Every surface compares the same, and
// keeps its keys in the same [Room]: so a request that is repeated by way of another
// surface writes nothing either.
type Asked struct {
	Values       templates.Values
	Slug         string
	Markdown     []byte
	Draft, Carry bool
	Facts        bool   // facts are added when it is written
	Claim        string // of the handoff that it continues, if the request names it
	Replace      string // the handoff that it replaces, as the request names it
	Language     string // of the document; "" for that of the project
}

// Sum identifies what is asked for.
func (a Asked) Sum() string {
	what := []any{a.Values, a.Slug, a.Markdown, a.Draft, a.Carry, a.Facts}
	if a.Claim != "" {
		what = append(what, a.Claim)
	}
	if a.Language != "" {
		what = append(what, "in "+a.Language)
	}
	if a.Replace != "" {
		what = append(what, "replace", a.Replace)
	}
	return once.Sum(what...)
}

// Room is the [once.Request.What] of new handoffs of a task. What is stored there has the
// path as its member path.
func Room(v templates.Values) string {
	if v.Task == 0 && v.Named != "" {
		return "handoff " + v.Named
	}
	return fmt.Sprint("handoff ", v.Task)
}

// Result is the handoff.
type Result struct {
	create.Created
	Carried   pins.Carried
	Existed   bool                 // an earlier request with the key wrote it: only the path is known
	Beside    []*receipt.HeldError // what others hold and the handoff does not continue: it stays open
	Assumed   []string             // what a program like the caller claimed here, which may be another one: it is superseded
	Unchecked error                // why it is unknown whether the caller's claim is stale; nil if that is known
	Idle      []string             // what subagents were asked that reported back without having called a tool
	Undone    []Undone             // steps that should follow and did not: the handoff is safe
}

// Undone is a step that failed after a handoff was written.
type Undone struct {
	What string // "the claimed handoff is not superseded"
	Err  error
}

// ClaimedError is the error that a claim forbids the handoff.
type ClaimedError struct {
	error
	Other bool // somebody else works on the task, which Force would take over
}

func (e *ClaimedError) Unwrap() error { return e.error }

// Run writes a handoff. With a key that an earlier request had, it writes nothing and
// returns the path that the earlier one wrote. The error is [*once.OtherError] if that
// one asked for another handoff, and [*ClaimedError] if a claim forbids it.
func Run(ctx context.Context, ws *workspace.Workspace, req Request) (r Result, err error) {
	type stored struct {
		Path string `json:"path"`
	}
	kept, existed, err := Answered(ctx, ws, req, func(made Result) stored {
		r = made
		return stored{made.Path}
	})
	if r.Existed = r.Existed || existed; err == nil {
		r.Path = cmp.Or(r.Path, kept.Path)
	}
	return r, err
}

// Answered is [Run] for a surface that stores its answer with the key: a repetition gets that.
func Answered[T any](ctx context.Context, ws *workspace.Workspace, req Request, answer func(Result) T) (made T, existed bool, err error) {
	w := writer{ws: ws}
	if w.book, err = receipts.Open(ws); err != nil && (req.Who.Claim != "" || req.Replace != "") {
		return made, false, err // without a place for receipts there are no claims
	}
	named := req.Replace
	if named != "" {
		t := receipts.Target{Dir: cmp.Or(req.Dir, ws.Root), Ref: named, Claim: req.Who.Claim, Who: req.Who}
		req.Replace, err = w.book.Replacing(ctx, t, &req.Values.Task, &req.Values.Phase)
		if err != nil && (req.Key == "" || req.Replace == "") { // else an earlier call with the key may have replaced it
			return made, false, &ClaimedError{err, false}
		}
	}
	again := once.Request{}
	if !req.Dry { // which writes nothing
		asked := Asked{Values: req.Values, Slug: req.Slug, Markdown: req.Markdown, Draft: req.Draft, Carry: req.Carry, Facts: req.Facts, Claim: strings.TrimSpace(req.Claim), Replace: named, Language: req.Language}
		again = once.Request{What: Room(req.Values), Key: req.Key, Sum: asked.Sum()}
	}
	return once.Do(ctx, ws, again, func(before *once.File, intend func(*once.File) error) (made T, err error) {
		w.req, w.made = req, Result{}
		if !w.find(ctx, before) {
			w.req.Writing = func(path string, src []byte) error { return intend(once.Of(path, src)) }
			if err := w.write(ctx); err != nil {
				return made, err
			}
		}
		return answer(w.made), nil
	})
}

// writer carries out a request.
type writer struct {
	ws   *workspace.Workspace
	book *receipts.Book // nil for none
	req  Request
	made Result
}

// write writes the handoff now.
func (w *writer) write(ctx context.Context) (err error) {
	if err := w.mayWrite(ctx); err != nil {
		return err
	}
	if w.req.Prepare != nil {
		if err := w.req.Prepare(&w.req.Request); err != nil {
			return err
		}
	}
	if w.req.Session != nil {
		w.req.Mark, w.made.Idle = w.req.Session(ctx)
	}
	if w.req.Carry {
		w.made.Created, w.made.Carried, err = pins.Create(ctx, w.ws, w.req.Request)
		w.made.Overtaken = "" // it continues the last one, whose items it takes over
	} else {
		w.made.Created, err = create.Run(ctx, w.ws, w.req.Request)
	}
	if err == nil && !w.req.Dry {
		w.follow(ctx)
	}
	return err
}

// mayWrite refuses a handoff of a caller whose claim is stale, and one of a task that somebody else works on, unless
// it is a report of a closed phase, which has no successor.
func (w *writer) mayWrite(ctx context.Context) (err error) {
	if w.book == nil {
		return nil
	}
	w.made.Unchecked, err = w.book.MayWriteNew(ctx, w.req.Who, &w.req.Values.Task, w.req.Unfenced)
	if w.req.Unfenced = w.made.Unchecked != nil; err != nil {
		return &ClaimedError{err, false}
	}
	if w.req.Force == nil && w.req.Values.Profile != completion {
		if w.made.Beside, err = Held(ctx, w.ws, w.book, w.req.Who, w.req.Request); err != nil {
			return &ClaimedError{err, true}
		}
	}
	return nil
}

// completion is the profile of a report of a closed phase.
const completion = "completion"

// find reports whether a process that was killed wrote the handoff, and links it.
func (w *writer) find(ctx context.Context, before *once.File) bool {
	if before == nil {
		return false
	}
	made, err := create.Relink(ctx, w.ws, before.Path)
	if err != nil || *once.Of(before.Path, []byte(made.Doc.Source)) != *before {
		return false // not created, or changed since
	}
	w.made.Created, w.made.Existed = made, true
	w.follow(ctx)
	return true
}

// follow does what a written handoff means for others.
func (w *writer) follow(ctx context.Context) {
	undone := func(what string, err error) {
		if err != nil {
			w.made.Undone = append(w.made.Undone, Undone{what, err})
		}
	}
	if w.book != nil {
		if w.req.Force != nil && w.req.Values.Profile != completion {
			next, err := nextOf(ctx, w.ws, w.req.Request)
			undone("the last handoff is not taken over", cmp.Or(err, w.book.TakeOver(ctx, w.req.Who, next, *w.req.Force)))
		}
		continued, err := w.book.Continue(ctx, w.req.Who, w.made.Path, w.req.Replace)
		undone("the claimed handoff is not superseded", err)
		if !w.req.Who.Alone() && w.req.Who.Claim == "" && w.req.Replace == "" {
			w.made.Assumed = continued
		}
		if w.ws.NameOf(w.made.Path).Loose && (len(continued) > 0 || w.req.Replace != "") {
			w.made.Overtaken = "" // it stays open: this one continues another
		}
		if w.req.Replace != "" {
			undone("the handoff to replace is not superseded", w.book.Replace(ctx, w.req.Replace, w.made.Path, w.req.How))
		}
	}
	if w.req.Written != nil {
		w.req.Written(w.made.Path)
	}
}
