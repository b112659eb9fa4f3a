package documents

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"handoff/document/handoff"
	"handoff/workspace"
)

// ListChains looks at the documents outside of task folders that keep chooses by their
// names. Those that continue each other are a task without metadata: its newest document
// waits until a receipt shows that it was taken up.
func (d *Dates) ListChains(ctx context.Context, w *workspace.Workspace, keep func(handoff.Name) bool) (list []Task, err error) {
	var unread error
	paths, err := w.Elsewhere(ctx, func(path string, err error) error {
		unread = errors.Join(unread, fmt.Errorf("%s: %w", filepath.FromSlash(path), workspace.Reason(err)))
		return nil
	})
	if err != nil || len(paths) == 0 {
		return nil, errors.Join(err, unread)
	}
	var entries []Entry
	for _, p := range paths {
		if e := EntryAt(w, p); keep(e.Name) {
			entries = append(entries, e)
		}
	}
	shows := OpenShows(w, len(entries))
	defer shows.Close()
	d.arrange(ctx, w, entries, 0, shows)
	chains := map[string][]Entry{}
	var order []string
	for _, e := range entries {
		if chains[e.Name.Chain] == nil {
			order = append(order, e.Name.Chain)
		}
		chains[e.Name.Chain] = append(chains[e.Name.Chain], e)
	}
	lives := livesOf(w, len(entries))
	for _, chain := range order {
		if err := ctx.Err(); err != nil {
			return list, err
		}
		list = append(list, chainOf(shows, lives, chains[chain])...)
	}
	return list, unread
}

// chainOf is the task of some documents, the newest first, and those of them that are open beside it. If
// it is in doubt which is the newest, it is unclear what waits.
func chainOf(shows *Shows, lives lives, entries []Entry) []Task {
	e, w := entries[0], shows.w
	if e.Doubt != "" && entries[1].Name.Slot().Compare(e.Name.Slot()) == 0 && entries[1].Name.Phase == e.Name.Phase {
		if i := taken(w, lives, entries); i >= 0 {
			e = entries[i]
			e.Doubt = ""
		}
	}
	t := taskOfDocument(shows, lives, e)
	t.Chain, t.Documents, t.Paths = e.Chain(), len(entries), nil
	for _, one := range entries {
		t.Paths = append(t.Paths, one.Path)
	}
	tasks := []Task{t}
	for _, one := range beside(w, lives, entries) {
		if one.Path != e.Path {
			tasks = append(tasks, taskOfDocument(shows, lives, one))
		}
	}
	return tasks
}

// taskOfDocument is a document outside of task folders as a task of its own.
func taskOfDocument(shows *Shows, lives lives, e Entry) Task {
	one, err := shows.of(e, Read)
	t := Task{Chain: e.Path, Documents: 1, Paths: []string{e.Path}}
	if err != nil {
		t.Last = MakeRow(e, nil, err)
		t.Status.Problem = e.Path + ": " + t.Last.Problem
		return t
	}
	t.Last, t.Doubt = one.rowOf(e), e.Doubt
	life, err := lives.life(e.Path)
	if err != nil {
		t.Doubt = fmt.Sprintf("cannot tell whether %s was taken up: %v", path.Base(e.Path), err)
	}
	t.Waiting.Entry, t.Row, t.Life = e, t.Last, life
	t.At = e.When.At
	t.Waits = t.Doubt == "" && !receiptOf(&life, shows.w.Now()).Taken
	t.refuse(one.refused)
	return t
}

// taken is the one of two documents with the same time that was claimed, or finished:
// that decides which one continues. It is -1 if neither was, or both.
func taken(w *workspace.Workspace, lives lives, entries []Entry) (which int) {
	which = -1
	for i, e := range entries[:min(2, len(entries))] {
		life, err := lives.life(e.Path)
		if err != nil || !receiptOf(&life, w.Now()).Taken {
			continue
		}
		if which >= 0 {
			return -1
		}
		which = i
	}
	return which
}
