// Package pins reads the handoffs of a task and follows their pinned items: package
// pinned says which those are.
package pins

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"handoff"
	"handoff/pinned"
	"handoff/workspace"
	"handoff/workspace/documents"
)

// Change is a pinned item and what became of it.
type Change struct {
	Fate    pinned.Fate `json:"fate" enum:"new,kept,retired,lost" doc:"what became of the item"`
	Section string      `json:"section" doc:"its section"`
	Text    string      `json:"text" doc:"the item on one line, as the document before has it"`
	ID      string      `json:"id,omitempty" doc:"its id"`
	Reason  string      `json:"reason,omitempty" doc:"why it was retired"`
	Edited  bool        `json:"edited,omitempty" doc:"it was kept with another text"`
	Line    int         `json:"line" doc:"its line in the document before; of a new one, in the document"`
}

// Step is a handoff and what became of the pinned items of the one before.
type Step struct {
	Path    string   `json:"path" doc:"the document, relative to the workspace"`
	Before  string   `json:"before,omitempty" doc:"the document before; missing for the first one"`
	Changes []Change `json:"changes" doc:"items of the document before, then new ones"`
}

// Lost is how many items of the step are lost.
func (s Step) Lost() (n int) {
	for _, c := range s.Changes {
		if c.Fate == pinned.Lost {
			n++
		}
	}
	return n
}

// Between compares two documents.
func Between(w *workspace.Workspace, before, after documents.Entry) (Step, error) {
	old, err := documents.ReadInside(w, before)
	if err != nil {
		return Step{}, fmt.Errorf("%s: %w", before.Path, err)
	}
	now, err := documents.ReadInside(w, after)
	if err != nil {
		return Step{}, fmt.Errorf("%s: %w", after.Path, err)
	}
	return step(before.Path, after.Path, old, now), nil
}

func step(before, path string, old, now *handoff.Document) Step {
	s := Step{Path: path, Before: before, Changes: []Change{}}
	for _, c := range pinned.Compare(old, now) {
		s.Changes = append(s.Changes, Change{Fate: c.Fate, Section: c.Item.Section.String(), Text: c.Item.Text, ID: c.Item.ID, Reason: c.Reason, Edited: c.Edited, Line: c.Item.Line})
	}
	return s
}

// Before is the document before one in its task. The error is fs.ErrNotExist for the
// first one.
func Before(ctx context.Context, w *workspace.Workspace, e documents.Entry) (documents.Entry, error) {
	list, err := Documents(ctx, w, e)
	if err != nil {
		return documents.Entry{}, err
	}
	i := slices.IndexFunc(list, func(o documents.Entry) bool { return o.Path == e.Path })
	if i <= 0 {
		return documents.Entry{}, fmt.Errorf("%s: no handoff before it in its task: %w", e.Path, fs.ErrNotExist)
	}
	return list[i-1], nil
}

// Documents are the documents of the task of one, the oldest first.
func Documents(ctx context.Context, w *workspace.Workspace, of documents.Entry) (list []documents.Entry, err error) {
	all, err := documents.List(ctx, w, documents.Filter{Task: of.Name.Task})
	for _, e := range all {
		if e.Name.Dir == of.Name.Dir && e.Name.Chain == of.Name.Chain {
			list = append(list, e)
		}
	}
	slices.Reverse(list)
	return list, err
}

// Chain compares each document of a task with the one before. An item that was lost and
// is there again later is new then.
func Chain(ctx context.Context, w *workspace.Workspace, of documents.Entry) (steps []Step, err error) {
	list, err := Documents(ctx, w, of)
	if err != nil {
		return nil, err
	}
	var old *handoff.Document
	before := ""
	for _, e := range list {
		now, err := documents.ReadInside(w, e)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Path, err)
		}
		steps = append(steps, step(before, e.Path, old, now))
		old, before = now, e.Path
	}
	return steps, nil
}
