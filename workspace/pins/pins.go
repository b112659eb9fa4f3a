// Package pins reads the handoffs of a task and follows their pinned items: package
// pinned defines which those are.
package pins

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"handoff/agents/transcript"
	"handoff/document/handoff"
	"handoff/document/pinned"
	"handoff/log/artifact"
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
	Moved   bool        `json:"moved,omitempty" doc:"it was kept in an artifact, for lack of room"`
	Line    int         `json:"line" doc:"its line in the document before; of a new one, in the document"`
}

// Step is a handoff and what became of the pinned items of the one before.
type Step struct {
	Path    string   `json:"path" doc:"the document, relative to the workspace"`
	Before  string   `json:"before,omitempty" doc:"the document before; missing for the first one"`
	Changes []Change `json:"changes" doc:"items of the document before, then new ones"`
	Missing []string `json:"missing,omitempty" doc:"artifacts with items of the document that are not in the store: those items count as lost"`
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
		return Step{}, err
	}
	now, err := documents.ReadInside(w, after)
	if err != nil {
		return Step{}, err
	}
	f, done, err := follow(w)
	if err != nil {
		return Step{}, err
	}
	defer done()
	f.Next(old)
	return step(f, before.Path, after.Path, now), nil
}

// follow returns a follower that reads the store of the workspace until done is called.
func follow(w *workspace.Workspace) (f *pinned.Follower, done func() error, err error) {
	store, err := w.Artifacts()
	if err != nil {
		return nil, nil, err
	}
	blobs := func(id string) []byte {
		key, err := artifact.ParseID(id)
		if err != nil {
			return nil
		}
		src, err := store.Get(key)
		if err != nil {
			return nil // it is reported as missing
		}
		return src
	}
	return &pinned.Follower{Blobs: blobs}, store.Close, nil
}

// through follows documents, and returns the last one and what it lacks.
func through(w *workspace.Workspace, f *pinned.Follower, list []documents.Entry) (last *handoff.Document, missing []handoff.Moved, err error) {
	for _, e := range list {
		if last, err = documents.ReadInside(w, e); err != nil {
			return nil, nil, err
		}
		_, missing = f.Next(last)
	}
	return last, missing, nil
}

func step(f *pinned.Follower, before, path string, doc *handoff.Document) Step {
	changes, missing := f.Next(doc)
	return stepOf(before, path, changes, missing)
}

func stepOf(before, path string, changes []pinned.Change, missing []handoff.Moved) Step {
	s := Step{Path: path, Before: before, Changes: []Change{}}
	for _, m := range missing {
		s.Missing = append(s.Missing, m.Blob)
	}
	for _, c := range changes {
		s.Changes = append(s.Changes, Change{Fate: c.Fate, Section: c.Item.Section.String(), Text: c.Item.Text, ID: c.Item.ID, Reason: c.Reason, Edited: c.Edited, Moved: c.Moved, Line: c.Item.Line})
	}
	return s
}

// InSummaries returns which items of a document are in the summaries of a transcript; file
// is the name of the transcript.
func InSummaries(ctx context.Context, w *workspace.Workspace, e documents.Entry, file string, list []transcript.Summary) (steps []Step, err error) {
	err = upTo(ctx, w, e, func(f *pinned.Follower, doc *handoff.Document, missing []handoff.Moved) {
		for _, s := range list {
			steps = append(steps, stepOf(e.Path, fmt.Sprintf("%s:%d", file, s.Line), pinned.InSummary(doc, f.Blob, s.Text), missing))
		}
	})
	return steps, err
}

// Of returns the pinned items of a document, with those that it has in artifacts.
func Of(ctx context.Context, w *workspace.Workspace, e documents.Entry) (items []pinned.Item, err error) {
	err = upTo(ctx, w, e, func(f *pinned.Follower, doc *handoff.Document, _ []handoff.Moved) { items = pinned.All(doc, f.Blob) })
	return items, err
}

// upTo follows the documents of a task up to one, and passes on that one and what it lacks while the store is open.
func upTo(ctx context.Context, w *workspace.Workspace, e documents.Entry, use func(f *pinned.Follower, doc *handoff.Document, missing []handoff.Moved)) error {
	chain, err := Documents(ctx, w, e)
	if err != nil {
		return err
	}
	f, done, err := follow(w)
	if err != nil {
		return err
	}
	defer done()
	at := slices.IndexFunc(chain, func(o documents.Entry) bool { return o.Path == e.Path })
	doc, missing, err := through(w, f, chain[:1+at])
	if err == nil {
		use(f, doc, missing)
	}
	return err
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
		return documents.Entry{}, workspace.NotFound(e.Path + ": no handoff before it in its task")
	}
	return list[i-1], nil
}

// Vanished is how many pinned items of the handoff before a new one are not in that.
func Vanished(ctx context.Context, w *workspace.Workspace, path string) (before documents.Entry, n int, err error) {
	e := documents.EntryAt(w, path)
	if before, err = Before(ctx, w, e); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // it is the first one
		}
		return before, 0, err
	}
	step, err := Between(w, before, e)
	return before, step.Lost(), err
}

// Documents are the documents of the task of one, the oldest first, including those
// that it replaced.
func Documents(ctx context.Context, w *workspace.Workspace, of documents.Entry) (list []documents.Entry, err error) {
	all, err := documents.List(ctx, w, documents.Filter{Task: of.Name.Number()})
	for _, e := range all {
		if e.Name.Dir == of.Name.Dir && e.Name.Chain == of.Name.Chain {
			list = append(list, e)
		}
	}
	slices.Reverse(list)
	if err == nil && len(list) > 0 && of.Name.Dir == "" {
		var replaced []documents.Entry
		replaced, err = documents.Replaced(w, of.Path)
		list = append(replaced, list...)
	}
	return list, err
}

// Chain compares each document of a task with the previous one. An item that was lost
// and reappears later counts as new.
func Chain(ctx context.Context, w *workspace.Workspace, of documents.Entry) (steps []Step, err error) {
	list, err := Documents(ctx, w, of)
	if err != nil {
		return nil, err
	}
	f, done, err := follow(w)
	if err != nil {
		return nil, err
	}
	defer done()
	before := ""
	for _, e := range list {
		now, err := documents.ReadInside(w, e)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step(f, before, e.Path, now))
		before = e.Path
	}
	return steps, nil
}
