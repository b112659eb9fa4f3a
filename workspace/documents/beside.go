package documents

import (
	"slices"
	"time"

	"handoff/document/handoff"
	"handoff/log/receipt"
	"handoff/workspace"
)

// beside returns the documents of a loose chain, sorted with the newest first, that are open beside the newest
// one: a newer document continues the last one, but not one that a claim held when it was written, nor any
// other than the one that the receipts say it supersedes. Its author did not have those.
func beside(w *workspace.Workspace, lives lives, entries []Entry) (open []Entry) {
	store, err := w.Receipts()
	if err != nil || len(entries) < 2 || !entries[0].Name.Loose {
		return nil // no claim can have been recorded
	}
	all := make([]receipt.Life, len(entries))
	continues := map[string]bool{} // documents that supersede another one, by path
	for i, e := range entries {
		if all[i], err = lives.life(e.Path); err != nil {
			continue // the command that needs its receipts reports it
		}
		if last := all[i].Last(); last != nil && last.Kind == receipt.StepSuperseded {
			if next, here := store.Place().InWorkspace(last.Next); here {
				continues[next] = true
			}
		}
	}
	for i := 1; i < len(entries); i++ {
		l := &all[i]
		displaced := slices.ContainsFunc(entries[:i], func(e Entry) bool { return !continues[e.Path] && !heldAt(l, e.When.At) })
		if !l.Finished() && (l.State(w.Now()) == receipt.Claimed || !displaced) {
			open = append(open, entries[i])
		}
	}
	return open
}

// heldAt reports whether a claim held a document at a moment, as far as that is known. A time without a zone
// is taken for one in UTC, in which [Place] writes it.
func heldAt(l *receipt.Life, at handoff.Moment) bool {
	return at.Known() && l.HeldBetween(at.Time, at.Time.Add(max(at.Unit, time.Second)))
}
