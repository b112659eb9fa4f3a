package reconcile

import (
	"time"

	"handoff/document/handoff"
	"handoff/internal/json/jsonedit"
)

// Receipt is what was recorded about a handoff. In the zero value nothing
// recorded decides whether the handoff waits.
type Receipt struct {
	Taken bool      // it is claimed, done or superseded
	Done  bool      // taken, and its work is finished
	Again bool      // a claim of it was released or has expired: it waits again
	Since time.Time // since when that is so
}

// recorded is the fate that a receipt decides; fateUnclear if it decides
// nothing. An agent that took a handoff up after it was released or expired,
// without a claim, shows in the metadata only.
func (m *metadata) recorded(r Receipt) fate {
	switch {
	case r.Taken:
		return fateTaken
	case r.Again && !m.since(handoff.Moment{Time: r.Since, Unit: time.Second, Zoned: true}).after:
		return fateOpen
	}
	return fateUnclear
}

// Wait is the newest handoff of a task whose work is not finished.
type Wait struct {
	Path  string // "" if there is none, or it is unclear which one is the newest
	Doc   *handoff.Document
	Name  handoff.Name
	At    handoff.Moment // when it was written, as far as that is known
	Waits bool           // nothing shows that anyone took it up
	Doubt string         // why it is unclear whether it waits
}

// Wait finds the handoff that sync would present, also where a task has no
// metadata: then only a receipt can show that it was taken up.
func (s State) Wait() (wait Wait) {
	m := s.about(func(d Document) bool { return unlinkable(d.Doc) == nil })
	if m.file = s.parsed(m.plan); m.file == nil {
		wait.Doubt = "cannot read the metadata"
		if len(m.plan.Problems) > 0 {
			wait.Doubt = m.plan.Problems[0].Path + ": " + m.plan.Problems[0].Text
		}
		return wait
	}
	w := m.waiting()
	wait = Wait{Path: w.Path, Doc: w.Doc, Name: w.Name, Waits: w.waits, Doubt: w.doubt}
	if w.Path != "" {
		written, _ := s.believed(handoff.WrittenBy(w.Name, w.Doc))
		wait.At = written.At
	}
	return wait
}

// about is the metadata, not parsed yet, with the documents of the task that keep chooses.
func (s State) about(keep func(Document) bool) metadata {
	m := metadata{State: s, plan: new(Plan)}
	for _, d := range s.Documents {
		if keep(d) {
			m.links = append(m.links, s.unlinked(d))
		}
	}
	return m
}

// parsed is the metadata, or an empty object where there is none; nil where it
// cannot be read.
func (s State) parsed(plan *Plan) *jsonedit.File {
	f := s.Metadata
	switch {
	case f.Unreadable:
		return nil
	case f.Src == nil:
		f.Src = []byte("{}")
	}
	file, _ := editable(f, plan)
	return file
}
