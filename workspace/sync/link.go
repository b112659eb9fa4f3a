package sync

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"handoff/document/handoff"
	"handoff/workspace"
	"handoff/workspace/documents"
)

// Link brings a task up to date after documents were written or renamed. It is nil
// if these documents are linked, whatever other problems the task has.
func Link(ctx context.Context, w *workspace.Workspace, req Request, paths ...string) error {
	if len(req.Tasks) == 1 && req.Tasks[0] == "" {
		return nil // a document in no task folder: no metadata names it
	}
	s, err := One(ctx, w, req)
	if err != nil {
		return err
	}
	for _, p := range s.Plan.Problems {
		err = errors.Join(err, fmt.Errorf("%s: %s", p.Path, p.Text))
	}
	for _, path := range paths {
		if _, _, missing := documents.LinkedBundle(w, documents.Entry{Path: path, Name: handoff.ParseName(path)}); missing != nil {
			return err
		}
	}
	return nil
}

// Relink brings a task up to date after documents of it were renamed: the new path by the
// old one.
func Relink(ctx context.Context, w *workspace.Workspace, dir string, moved map[string]string) error {
	return Link(ctx, w, Request{Tasks: []string{dir}, Moved: moved}, slices.Collect(maps.Values(moved))...)
}

// Held links documents of a request's one task that were just written, while the caller
// holds the lock, so that no other holder sees them unlinked. It neither plans again nor
// creates threads: Link does that later, and reports what fails here.
func Held(ctx context.Context, w *workspace.Workspace, req Request) error {
	look, err := Select(ctx, w, req.Tasks)
	if err != nil {
		return err
	}
	defer look.Store.Close()
	s := newSyncer(w, look.Store, req)
	defer s.Close()
	one, ready := s.look(ctx, nil, req.Tasks[0])
	if !ready {
		return one.Err
	}
	return s.apply(one.Plan)
}

// One brings the one task of a request up to date.
func One(ctx context.Context, w *workspace.Workspace, req Request) (one Result, err error) {
	err = Run(ctx, w, req, func(s Result) error {
		one = s
		return s.Err
	})
	return one, err
}
