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
	return openBeside(w.Now(), entries, all, continues)
}

// openBeside is beside by the lives of the entries. It looks at each entry once: a folder may have thousands.
func openBeside(now time.Time, entries []Entry, all []receipt.Life, continues map[string]bool) (open []Entry) {
	var newer heirs
	for i, e := range entries {
		l := &all[i]
		if i > 0 && !l.Finished() && (l.State(now) == receipt.Claimed || newer.held(l)) {
			open = append(open, e)
		}
		if !continues[e.Path] {
			newer.add(e.When.At)
		}
	}
	return open
}

// heirs are the newer documents that continue an older one, unless a claim held that when they were written.
type heirs struct {
	all     []handoff.Moment
	undated bool      // one has no time
	last    time.Time // the latest time
	first   time.Time // the earliest end of one
}

// add adds a document that was written at a moment. A time without a zone is taken for one in UTC, in which [Place]
// writes it.
func (h *heirs) add(at handoff.Moment) {
	h.undated = h.undated || !at.Known()
	if end := endOf(at); len(h.all) == 0 || end.Before(h.first) {
		h.first = end
	}
	if at.Time.After(h.last) {
		h.last = at.Time
	}
	h.all = append(h.all, at)
}

func endOf(at handoff.Moment) time.Time { return at.Time.Add(max(at.Unit, time.Second)) }

// held reports whether a claim held a document when each of them was written, as far as that is known. One claim held it
// from the first to the last of them; only after several claims each of them is looked at.
func (h *heirs) held(l *receipt.Life) bool {
	claims := 0
	for _, s := range l.Steps {
		if s.Kind == receipt.StepClaimed {
			claims++
		}
	}
	switch {
	case len(h.all) == 0:
		return true
	case h.undated || claims == 0:
		return false
	case claims == 1:
		return l.HeldBetween(h.last, h.first)
	}
	return !slices.ContainsFunc(h.all, func(at handoff.Moment) bool { return !l.HeldBetween(at.Time, endOf(at)) })
}
