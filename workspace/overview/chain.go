package overview

import (
	"context"
	"errors"
	"time"

	"handoff"
	"handoff/receipt"
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

// Of is the chain of the task in a folder below the workspace. Documents that cannot
// be read are in it with a problem. The error is for a task that does not exist.
func Of(ctx context.Context, w *workspace.Workspace, dir string, o Options) (c Chain, err error) {
	list, err := documents.ListTasks(ctx, w, func(n handoff.Name) bool { return n.Dir == dir })
	if err != nil {
		return c, err
	}
	if len(list) == 0 {
		return c, errors.New(dir + ": no such task")
	}
	c.Task = row(list[0], w.Now(), states.At(w))
	c.Task.fill(o.Left)
	entries, err := documents.List(ctx, w, documents.Filter{Task: &c.Task.Task})
	store, noReceipts := w.Receipts()
	for _, e := range entries {
		if e.Name.Dir != dir {
			continue
		}
		doc, readErr := documents.ReadInside(w, e)
		link := Link{Row: documents.MakeRow(e, doc, readErr), Steps: []Event{}}
		if noReceipts == nil {
			link.add(store, w.Now())
		}
		if link.State == "" && link.Path == c.Task.Path && c.Task.State == Waiting {
			link.State = receipt.Waiting
		}
		c.Handoffs = append([]Link{link}, c.Handoffs...)
	}
	return c, err
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
