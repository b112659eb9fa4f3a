package overview

import (
	"context"
	"errors"
	"slices"
	"time"

	"handoff/document/handoff"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/states"
)

// Chain is the handoffs of one task, the oldest first, and what became of each.
type Chain struct {
	Task     Task   `json:"task"`
	Handoffs []Link `json:"handoffs" doc:"the oldest first"`
}

// Link is a handoff of a chain.
type Link struct {
	documents.Row
	State receipt.State `json:"state,omitempty" doc:"what became of it; missing if nothing is recorded and it does not wait"`
	Steps []Event       `json:"steps" doc:"what was recorded about it, the oldest first"`
}

// Event is a step of a receipt.
type Event struct {
	At   time.Time    `json:"at"`
	Step receipt.Kind `json:"step"`
	By   string       `json:"by,omitempty"`
	Host string       `json:"host,omitempty"`
	Why  string       `json:"why,omitempty"`
	Next string       `json:"superseded_by,omitempty"`
}

// Of is the chain of a task: of the folder below the workspace, or of the documents that continue each
// other elsewhere, see [documents.Task]. Documents that cannot
// be read are in it with a problem. The error is for a task that does not exist.
func Of(ctx context.Context, w *workspace.Workspace, chain string, o Options) (c Chain, err error) {
	whole := chain
	if e := documents.EntryAt(w, chain); e.Name.Loose {
		whole = e.Chain() // of a document that is open beside the newest one
	}
	list, err := documents.ListTasks(ctx, w, func(n handoff.Name) bool { return documents.Entry{Name: n}.Chain() == whole })
	if err != nil {
		return c, err
	}
	i := slices.IndexFunc(list, func(t documents.Task) bool { return t.Chain == chain })
	if i < 0 {
		return c, workspace.NoTask(chain + ": no such task")
	}
	c.Task = row(list[i], w.Now(), states.At(w))
	c.Task.fill(o.Left)
	entries, err := documents.List(ctx, w, documents.Filter{Chain: whole})
	if whole != chain {
		entries = slices.DeleteFunc(entries, func(e documents.Entry) bool { return e.Path != chain })
	}
	c.Handoffs = linksOf(w, entries)
	for i, l := range c.Handoffs {
		if l.State == "" && l.Path == c.Task.Path && c.Task.State == Waiting {
			c.Handoffs[i].State = receipt.Waiting
		}
	}
	return c, err
}

// OfDocument is the chain that has a document, or only that document if it belongs to no task.
func OfDocument(ctx context.Context, w *workspace.Workspace, path string, o Options) (c Chain, err error) {
	e, err := documents.FindInside(ctx, w, path)
	if err != nil {
		return c, err
	}
	chains := []string{e.Chain()}
	if e.Name.Loose {
		chains = []string{e.Path, e.Chain()} // it may be open beside the newest one
	}
	for _, chain := range chains {
		if c, err = Of(ctx, w, chain, o); !errors.Is(err, handoff.ErrNoTask) {
			return c, err
		}
	}
	if _, err := documents.ReadInside(w, e); errors.Is(err, handoff.ErrNoHandoff) {
		return Chain{}, err
	}
	c = Chain{Handoffs: linksOf(w, []documents.Entry{e})}
	one := c.Handoffs[0]
	c.Task = Task{Path: e.Path, State: Open, Why: "it belongs to no task", NextAction: one.NextAction, Unproved: one.Unproved, Handoffs: 1, Since: one.Time, Chain: e.Chain()}
	return c, nil
}

// linksOf reads documents that are sorted with the newest first.
func linksOf(w *workspace.Workspace, entries []documents.Entry) (links []Link) {
	store, noReceipts := w.Receipts()
	for _, e := range slices.Backward(entries) {
		doc, readErr := documents.ReadInside(w, e)
		link := Link{Row: documents.MakeRow(e, doc, readErr), Steps: []Event{}}
		if noReceipts == nil {
			link.add(store, w.Now())
		}
		links = append(links, link)
	}
	return links
}

// add reads the receipts of a handoff.
func (l *Link) add(store *receipt.Store, now time.Time) {
	life, err := store.Life(store.Place().Path(l.Path))
	if err != nil {
		l.State, l.Problem = "unknown", err.Error()
		return
	}
	if len(life.Steps) == 0 {
		return
	}
	l.State = life.State(now)
	for _, s := range life.Recorded() {
		l.Steps = append(l.Steps, Event{At: s.At, Step: s.Kind, By: s.By, Host: s.Host, Why: s.Why, Next: s.Next})
	}
}
