package reconcile

import (
	"slices"
	"time"

	"handoff/document/handoff"
)

// Asked are the questions that led to what was found of a state, beside its documents and its metadata.
type Asked struct {
	Receipts map[string]Receipt // the answers, by path
	Git      bool               // what HEAD has was asked
}

// Lasting returns what was asked to find what [State.Wait] and [StatusOf] returned. With the same answers they
// return the same as long as the documents and the metadata are the same, at any later time. ok is
// false if that is not certain: something could not be read, other files were asked for, or a time is
// too far in the future.
func (s State) Lasting() (asked Asked, ok bool) {
	f := s.facts
	if f == nil || len(s.Problems) > 0 || s.Metadata.Unreadable || s.Ahead() || s.doneAhead() {
		return asked, false
	}
	if len(f.wrote)+len(f.unchanged)+len(f.missing)+len(f.blobs)+len(f.known)+len(f.faults) > 0 || s.Failed() != nil {
		return asked, false
	}
	for path, there := range f.exists {
		if !there || !s.has(path) {
			return asked, false
		}
	}
	for path := range f.modified {
		if !s.has(path) && path != s.Metadata.Path {
			return asked, false
		}
	}
	asked.Receipts = make(map[string]Receipt, len(f.receipts))
	for path, a := range f.receipts {
		if a.err != nil {
			return asked, false
		}
		asked.Receipts[path] = a.Receipt
	}
	if f.added != nil && *f.added == nil {
		return asked, false // git did not answer
	}
	asked.Git = f.added != nil || f.committed != nil
	return asked, f.committed == nil || !f.committed.IsZero()
}

// Led reports whether names alone decide that the last document is the one that waits, as [State.Wait] has found. Then nothing
// depends on what is in the other documents, as long as they are there: each name has a second and a zone, which count more than
// a text, and the last one is the newest by them, and by what the metadata records, which presents no other one. A [World] that knows
// documents from earlier looks is not for this.
func (s State) Led(w Wait) bool {
	last := len(s.Documents) - 1
	if !w.Waits || w.Doubt != "" || s.World.Known != nil || s.Documents[last].Path != w.Path {
		return false
	}
	m := s.about(func(Document) bool { return true })
	m.file = s.parsed(m.plan) // as Wait did
	o, presented := m.order(), []string{m.pointer(), m.local(m.text("partial_progress", "handoff_path"))}
	for i, d := range s.Documents {
		named, _ := d.Name.Moment()
		if !named.Known() || !named.Zoned || named.Unit != time.Second || i != last && (o.stated(last, i) != handoff.Newer || slices.Contains(presented, d.Path)) {
			return false // what is presented counts only if it can be read
		}
	}
	return true
}

func (s State) has(path string) bool {
	return slices.ContainsFunc(s.Documents, func(d Document) bool { return d.Path == path })
}

// doneAhead reports whether an output records a time that is not believed yet.
func (s State) doneAhead() bool {
	m := metadata{State: s, plan: new(Plan)}
	if m.file = m.parsed(m.plan); m.file == nil {
		return true
	}
	for i := range m.outputsDone() {
		if m.timeDone(i).IsZero() {
			return true
		}
	}
	return false
}
