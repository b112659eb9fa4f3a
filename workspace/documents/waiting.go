package documents

import (
	"handoff/document/handoff"
	"handoff/log/receipt"
	"handoff/workspace/reconcile"
)

// Waiting is the newest handoff of a task that is not finished, and what became
// of it. If it is unclear which one is the newest, there are only the folder and
// the doubt. If it cannot wait, because an agent asked for a person for example, it
// is there while it is claimed.
type Waiting struct {
	Dir   string // the task folder below the root
	Row   Row
	Entry Entry
	At    handoff.Moment // when it was written, as far as that is known
	Waits bool
	Doubt string // why it is unclear whether it waits
	Life  receipt.Life

	// Refused is why the document must not be delivered; nil if it may be. It also is a
	// doubt, because a person must resolve it before the handoff waits.
	Refused *handoff.UndeliverableError
}

// waitingIn finds out whether something in a task waits, without its history. The result has no document
// if nothing can.
func waitingIn(dir string, wait reconcile.Wait) (one Waiting) {
	one.Dir, one.Doubt = dir, wait.Doubt
	if wait.Path == "" {
		return one
	}
	one.Entry = Entry{Path: wait.Path, Name: wait.Name}
	one.Row = MakeRow(one.Entry, wait.Doc, nil)
	one.At, one.Waits = wait.At, wait.Waits
	one.refuse(wait.Doc.Undeliverable(wait.Path))
	return one
}

// refuse keeps a document that must not be delivered from waiting.
func (w *Waiting) refuse(why *handoff.UndeliverableError) {
	if w.Refused = why; w.Refused != nil && w.Waits {
		w.Waits, w.Doubt = false, w.Refused.What()
	}
}
