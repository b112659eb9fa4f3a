package reconcile

import (
	"fmt"
	"path"
	"slices"
	"sync"

	"handoff"
	"handoff/internal/json/jsonedit"
)

// waiting is the handoff that waits for a successor. partial_progress changes
// only if there is one.
type waiting struct {
	link
	waits bool
	newer func() bool // certainly newer than the text in partial_progress
	doubt string      // why it is unclear; then nothing changes
}

// waiting finds the handoff that waits: nothing shows that it was taken up. A
// receipt, an agent that started after it, a stage of a later phase or a final
// status would show that.
func (m *metadata) waiting() (w waiting) {
	if !m.open() {
		return w
	}
	o := m.order()
	best, doubt := o.choose(m.pointer())
	if best < 0 {
		w.doubt = doubt
		return w
	}
	w.link = m.links[best]
	receipt, err := m.receipt(w.Path)
	if err != nil {
		w.doubt = fmt.Sprintf("cannot tell whether %s was taken up: %v", path.Base(w.Path), err)
		return w
	}
	said := m.since(o.written[best].At)
	seen := m.seenWritten(w.link)
	w.newer = sync.OnceValue(func() bool {
		return seen || said.before && (said.own || m.stageZero()) || m.presentsOlder(o, best) || m.writtenBefore(w.link, o.written[best].At)
	})
	said.after = said.after && !seen // that time was invented
	fate := m.recorded(receipt)
	if fate == fateUnclear {
		fate = m.takenUp(o, w, said)
	}
	switch fate {
	case fateOpen:
		w.waits = true
	case fateUnclear:
		w.doubt = fmt.Sprintf("cannot tell whether %s was taken up: status is %q%s", path.Base(w.Path), m.text("status"), said.text())
	}
	return w
}

// open reports whether the metadata is about unfinished work that does not wait
// for a person.
func (m *metadata) open() bool {
	switch m.text("status") {
	case "", "in_progress", "partial":
	default:
		return false // a final status is never changed back
	}
	if v, ok := m.file.Get("requires_user_review"); ok {
		if wait, _ := v.Bool(); wait {
			return false // an agent asked for a person; with a handoff the lead would continue without one
		}
	}
	return len(m.links) > 0
}

// pointer is the document recorded as the newest, even in a place where no
// program looks for it.
func (m *metadata) pointer() string {
	for _, at := range []jsonedit.Path{{"partial_progress", "handoff_path"}, {"handoff_path"}, {"metadata", "handoff_path"}} {
		if p := m.text(at...); p != "" {
			return path.Clean(p)
		}
	}
	return ""
}

// fate is what became of a handoff.
type fate int

const (
	fateOpen    fate = iota // nothing shows that it was taken up
	fateTaken               // something does
	fateUnclear             // it may have been
)

// takenUp weighs the metadata. Most metadata records the handoff, or does not
// exist. Then it needs no file times, which cost two of the ten system calls for
// a task.
func (m *metadata) takenUp(o *order, w waiting, said since) fate {
	recorded := m.text("partial_progress", "handoff_path") == w.Path
	working := m.text("status") == "in_progress"
	moved := m.stageAfter(w.Name) || !recorded && m.phaseAfter(w.Name) || m.blocked()
	switch {
	case said.after:
		return fateTaken
	case working && recorded:
		return fateTaken // the writer of in_progress had the handoff
	case !moved && !working && (recorded || m.Metadata.Src == nil):
		return fateOpen
	case w.newer():
		return fateOpen
	case moved:
		return fateTaken
	case m.byFile(w.Path, m.Metadata.Path) == handoff.Newer:
		return fateOpen
	case working:
		later := m.byFile(w.Path, m.Metadata.Path) == handoff.Older
		if said.overlaps || !said.before && (later || m.stageZero()) {
			return fateUnclear
		}
	case m.records(w.link):
	case said.overlaps:
		return fateUnclear
	case !said.before && m.committedAfter(o, w.link):
		return fateTaken
	}
	return fateOpen
}

// committedAfter reports whether git got the metadata after the handoff. Its
// writer had the handoff then, and did not name it.
func (m *metadata) committedAfter(o *order, l link) bool {
	if m.Committed == nil || m.text("partial_progress", "stage") == "" {
		return false
	}
	at := m.Committed()
	added, ok := o.addedAt(l.Path)
	return ok && at.After(added)
}

// presentsOlder reports whether the metadata is about an older handoff, and so
// was written before this one.
func (m *metadata) presentsOlder(o *order, best int) bool {
	p := m.text("partial_progress", "handoff_path")
	for i, l := range o.links {
		if l.Path == p && i != best {
			return o.certain(best, i)
		}
	}
	return false
}

// seenWritten reports whether the caller saw the handoff being written, and the
// metadata is older.
func (m *metadata) seenWritten(l link) bool {
	if !slices.Contains(m.Fresh, l.Path) || m.Metadata.Src == nil || m.Modified == nil {
		return false
	}
	document, file := m.Modified(l.Path), m.Modified(m.Metadata.Path)
	return !document.IsZero() && !file.IsZero() && !file.After(document)
}

// writtenBefore reports whether the metadata is older than the handoff by file
// time, if the handoff's own time agrees.
func (m *metadata) writtenBefore(l link, at handoff.Moment) bool {
	if m.byFile(l.Path, m.Metadata.Path) != handoff.Newer {
		return false
	}
	t := m.Modified(m.Metadata.Path)
	return handoff.Moment{Time: t, Zoned: true}.Compare(at) == handoff.Older
}
