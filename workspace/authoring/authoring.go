// Package authoring carries out `handoff new` and its counterpart over MCP: it takes over pinned
// items, and a request with an idempotency key takes effect once. It knows neither flags
// nor claims.
package authoring

import (
	"cmp"
	"context"
	"fmt"

	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/once"
	"handoff/workspace/pins"
)

// Request is the handoff to write.
type Request struct {
	create.Request
	Carry bool   // take over the pinned items of the last handoff
	Key   string // idempotency key; "" for none
	Sum   string // of [Asked]: a repetition must have the same

	// Begin, if set, is called before the handoff is written, but not if an earlier request
	// with the key has written it. It may change the request; an error ends Run.
	Begin func(*create.Request) error
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
}

// Sum identifies what is asked for.
func (a Asked) Sum() string {
	what := []any{a.Values, a.Slug, a.Markdown, a.Draft, a.Carry, a.Facts}
	if a.Claim != "" {
		what = append(what, a.Claim)
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
	Carried pins.Carried
	Existed bool // an earlier request with the key wrote it: only the path is known
}

// stored is the result of a request with a key.
type stored struct {
	Path string `json:"path"`
}

// Run writes a handoff. With a key that an earlier request had, it writes nothing and
// returns the path that the earlier one wrote. The error is [*once.OtherError] if that
// one asked for another handoff.
func Run(ctx context.Context, ws *workspace.Workspace, req Request) (r Result, err error) {
	again := once.Request{What: Room(req.Values), Key: req.Key, Sum: req.Sum}
	kept, existed, err := once.Do(ctx, ws, again, func(before *once.File, intend func(*once.File) error) (stored, error) {
		if r.find(ctx, ws, req, before) {
			return stored{r.Path}, nil
		}
		inner := req
		inner.Writing = func(path string, src []byte) error {
			if req.Writing != nil {
				if err := req.Writing(path, src); err != nil {
					return err
				}
			}
			return intend(once.Of(path, src))
		}
		err := r.write(ctx, ws, inner)
		return stored{r.Path}, err
	})
	if r.Existed = r.Existed || existed; err == nil {
		r.Path = cmp.Or(r.Path, kept.Path)
	}
	return r, err
}

// write writes the handoff now.
func (r *Result) write(ctx context.Context, ws *workspace.Workspace, req Request) (err error) {
	if req.Begin != nil {
		if err := req.Begin(&req.Request); err != nil {
			return err
		}
	}
	if req.Carry {
		r.Created, r.Carried, err = pins.Create(ctx, ws, req.Request)
	} else {
		r.Created, err = create.Run(ctx, ws, req.Request)
	}
	if err == nil && req.Written != nil {
		req.Written(r.Path)
	}
	return err
}

// find reports whether a process that was killed wrote the handoff, and links it.
func (r *Result) find(ctx context.Context, ws *workspace.Workspace, req Request, before *once.File) bool {
	if before == nil {
		return false
	}
	made, err := create.Relink(ctx, ws, before.Path)
	if err != nil || *once.Of(before.Path, []byte(made.Doc.Source)) != *before {
		return false // not created, or changed since
	}
	r.Created, r.Existed = made, true
	if req.Written != nil {
		req.Written(r.Path)
	}
	return true
}
