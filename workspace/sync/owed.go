package sync

import (
	"time"

	"handoff/workspace"
	"handoff/workspace/reconcile"
	"handoff/workspace/seen"
)

// Owe remembers that a step on a document is about to be recorded which the metadata of its task
// must show. The caller brings the task up to date afterwards; if it is killed, the next sync
// does, even if git tracks the metadata as it is.
func Owe(w *workspace.Workspace, path string) error {
	return seen.Open(w.Root).Owe(seen.Debt{Path: path, At: w.Now()})
}

// settle forgets the debts of a task that its metadata shows. One whose step is not recorded
// yet is kept: it is queued for the store, or its command was killed, and then owes nothing.
func (s *Syncer) settle(state reconcile.State, owed []seen.Debt) {
	for _, d := range owed {
		if s.dry || state.Unshared(d.Path) {
			continue
		}
		if r, err := state.Receipt(d.Path); err == nil && !r.Since.Before(d.At.Truncate(time.Millisecond)) {
			_ = s.Book.Settle(d) // else the next look does it
		}
	}
}
