package reconcile

import (
	"path"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/json/jsonedit"
	"handoff/workspace/reconcile/phases"
)

// Receipts stay in one clone, metadata is shared. So what a receipt records as the end of a
// handoff is also recorded in the output of that handoff, and the metadata presents it no
// longer: a lead that reads only the metadata starts no successor, and in other clones the handoff
// does not wait. A claim leaves nothing there, because its copy in another clone would be
// neither renewed nor released.

// doneAt is the member of an output that records when the work of its handoff was finished.
const doneAt = "done_at"

// recordOf is what is recorded about a document, in its receipts or in the metadata: what
// happened last counts.
func (m *metadata) recordOf(path string) (Receipt, error) {
	r, err := m.Receipt(path)
	if at, ok := m.doneAt(path); err == nil && ok && !r.Since.After(at) {
		return Receipt{Taken: true, Done: true, Since: at}, nil
	}
	return r, err
}

// doneAt is when the work of a handoff was finished, as its output records.
func (m *metadata) doneAt(path string) (at time.Time, ok bool) {
	for i := range m.outputsDone() {
		if t := m.timeDone(i); m.local(m.pathOf(i)) == path && (!ok || t.After(at)) {
			at, ok = t, true
		}
	}
	return at, ok
}

// lastDone is the document whose work was finished last, as the outputs record; "" for none.
func (m *metadata) lastDone() (last string) {
	var latest time.Time
	for i := range m.outputsDone() {
		if at, p := m.timeDone(i), m.local(m.pathOf(i)); last == "" || at.After(latest) {
			last, latest = p, at
		}
	}
	return last
}

// outputsDone yields the indexes of the outputs that record when their handoff was finished.
func (m *metadata) outputsDone() func(yield func(int) bool) {
	return func(yield func(int) bool) {
		if !strings.Contains(m.file.String(), `"`+doneAt+`"`) {
			return
		}
		for i := range m.entries() {
			if _, err := time.Parse(time.RFC3339, m.text("artifacts", i, doneAt)); err == nil && !yield(i) {
				return
			}
		}
	}
}

func (m *metadata) pathOf(i int) string { return m.text("artifacts", i, "path") }

// timeDone is the time that an output records; zero if it is too far in the future to be true:
// then any receipt is later.
func (m *metadata) timeDone(i int) time.Time {
	at, _ := time.Parse(time.RFC3339, m.text("artifacts", i, doneAt))
	if !m.Now.IsZero() && at.After(m.Now.Add(mostAhead)) {
		return time.Time{}
	}
	return at
}

// share plans what the outputs of some documents must record of their receipts. outputs adds
// the times, because a document may have no output yet.
func (m *metadata) share(paths ...string) {
	for _, p := range paths {
		if p == "" || !m.documents[p] {
			continue
		}
		r, err := m.Receipt(p)
		at, shown := m.doneAt(p)
		switch {
		case err != nil:
		case r.Done && !shown:
			if m.ended == nil {
				m.ended = map[string]string{}
			}
			m.ended[p] = r.Since.UTC().Format(time.RFC3339Nano)
			m.plan.Changes = append(m.plan.Changes, "done "+path.Base(p))
		case shown && !r.Done && r.Since.After(at):
			m.reopen(p)
		}
	}
}

// reopen removes what records that a handoff was finished, and that it ended the task.
func (m *metadata) reopen(p string) {
	for i, e := range m.entries() {
		if e.object && m.local(e.path) == p {
			m.remove("artifacts", i, doneAt)
		}
	}
	if m.text("status") == statusDone && m.text("partial_progress", "stage") == handoff.StageDone {
		m.set("partial", "status partial", "status")
	}
	m.plan.Changes = append(m.plan.Changes, "reopened "+path.Base(p))
}

// statusDone is the status of a task whose phases are all completed.
const statusDone = "implemented"

// withdraw takes back what presents a handoff that is done. The words of an agent stay. The
// task has ended if its plan says that all phases are completed.
func (m *metadata) withdraw(w waiting) {
	at := jsonedit.Path{"partial_progress", "handoff_path"}
	if m.presents() {
		m.remove(at...)
		m.plan.Changes = append(m.plan.Changes, "handoff_path gone")
	}
	for _, k := range besides {
		m.beside(k, new(handoff.Document))
	}
	stage := jsonedit.Path{"partial_progress", "stage"}
	if m.Metadata.Src == nil || m.text(stage...) == handoff.StageHandoff {
		m.set(handoff.StageDone, "stage "+handoff.StageDone, stage...)
	}
	ours := m.text(stage...) == handoff.StageDone
	if ours {
		m.phases()
	}
	asked := slices.Contains(m.Owed, w.Path)
	if !phases.AllCompleted(m.Plan.Src) || !m.textOrNone("left alone", "status") {
		return
	}
	if working := m.text("status") == "in_progress"; asked || ours && !working { // another agent may be working since
		m.set(statusDone, "status "+statusDone, "status")
	}
}

// presents reports whether a lead starts a successor with a document of the task. Metadata of an
// agent that works with one names it, too.
func (m *metadata) presents() bool {
	return m.text("status") != "in_progress" && m.documents[m.local(m.text("partial_progress", "handoff_path"))]
}

// remove removes a member.
func (m *metadata) remove(at ...any) {
	if err := m.file.Remove(at); err != nil {
		m.problem(at, "%v", err)
	}
}

// unshared is why the metadata does not show what the receipts of a document record; "" if it
// does.
func (m *metadata) unshared(p string) string {
	r, err := m.Receipt(p)
	at, shown := m.doneAt(p)
	switch done := r.Done || shown && !r.Since.After(at); {
	case err != nil:
		return ""
	case r.Done && !shown:
		return path.Base(p) + " is done, which the metadata does not show: in another clone it waits"
	case shown && !done:
		return path.Base(p) + " was taken up again, and the metadata shows it as done"
	case done && m.open() && m.presents():
		return path.Base(p) + " is done, and the metadata presents a handoff: a lead starts a successor"
	}
	return ""
}

// Unshared reports whether the metadata does not show what is recorded about a document.
func (s State) Unshared(path string) bool {
	m := s.about(func(Document) bool { return true })
	m.know()
	m.file = s.parsed(m.plan)
	return m.file != nil && m.documents[path] && m.unshared(path) != ""
}

// ShowsDone reports whether the metadata shows a document as done.
func (s State) ShowsDone(path string) bool {
	m := metadata{State: s, plan: new(Plan)}
	if m.file = s.parsed(m.plan); m.file == nil {
		return false
	}
	_, shown := m.doneAt(path)
	return shown
}

// DoneElsewhere is when a document was done by the metadata, if its receipts do not record that,
// nor a later step.
func (s State) DoneElsewhere(path string) (at time.Time, ok bool) {
	m := metadata{State: s, plan: new(Plan)}
	if m.file = s.parsed(m.plan); m.file == nil {
		return at, false
	}
	at, shown := m.doneAt(path)
	r, err := s.Receipt(path)
	return at, shown && err == nil && !r.Done && !r.Since.After(at)
}
