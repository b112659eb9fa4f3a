package reconcile

import (
	"fmt"
	"path"
	"sync"
	"time"

	"handoff/document/handoff"
	"handoff/internal/json/jsonedit"
)

// waiting is the handoff that waits for a successor. partial_progress changes
// only if there is one.
type waiting struct {
	link
	waits bool
	done  bool        // its work is finished
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
	if best < 0 && doubt != "" {
		best = m.decided(o)
	}
	if best < 0 {
		w.doubt = doubt
		return w
	}
	w.link = m.links[best]
	receipt, err := m.recordOf(w.Path)
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
	w.done = receipt.Done
	fate := m.recorded(receipt)
	if fate == fateUnclear {
		fate = m.takenUp(o, w, said)
	}
	switch fate {
	case fateOpen:
		w.waits = true
	case fateTaken:
		w.doubt = m.overtaken(o, best, said)
	case fateUnclear:
		w.doubt = fmt.Sprintf("cannot tell whether %s was taken up: status is %q%s", path.Base(w.Path), m.text("status"), said.text())
	}
	return w
}

// decided is the handoff that somebody claimed, or finished, last of those of which it is
// unclear which one is the newest: that decides. It is -1 if nobody did.
func (m *metadata) decided(o *order) (best int) {
	best = -1
	var since time.Time
	for i, l := range m.links {
		if !o.open(l) {
			continue
		}
		r, err := m.Receipt(l.Path)
		if err == nil && r.Taken && (best < 0 || r.Since.After(since)) {
			best, since = i, r.Since
		}
	}
	return best
}

// overtaken is the doubt whether a handoff waits that is older than the newest one by the
// times in their names. The newest was taken up by the stage of the metadata, whose times are
// all before it: so the time in its name is wrong, and a handoff of a later phase may be
// newer.
func (m *metadata) overtaken(o *order, best int, said since) string {
	if !said.before || !m.stageAfter(m.links[best].Name) {
		return ""
	}
	for i, l := range m.links {
		if o.open(l) && l.Name.ComparePhase(m.links[best].Name) == handoff.Newer && !m.stageAfter(l.Name) {
			return fmt.Sprintf("cannot tell whether %s is newer than %s, which was taken up before the time in its name", o.base(i), o.base(best))
		}
	}
	return ""
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
// program looks for it, or as the last one that is done.
func (m *metadata) pointer() string {
	for _, at := range []jsonedit.Path{{"partial_progress", "handoff_path"}, {"handoff_path"}, {"metadata", "handoff_path"}} {
		if p := m.text(at...); p != "" {
			return m.local(p)
		}
	}
	return m.lastDone()
}

// local is a path in the metadata as a path below the workspace, cleaned, if it leads there.
func (m *metadata) local(p string) string {
	if p == "" {
		return ""
	}
	if path.IsAbs(p) && m.Local != nil {
		if below, ok := m.Local(path.Clean(p)); ok {
			return below
		}
	}
	return path.Clean(p)
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
	recorded := m.local(m.text("partial_progress", "handoff_path")) == w.Path
	working := m.text("status") == "in_progress"
	moved := m.stageAfter(w.Name) || !recorded && m.phaseAfter(w.Name) || m.blocked()
	switch {
	case m.pointsNowhere():
		return m.insteadOf(m.pointer(), w.link)
	case said.after:
		return fateTaken
	case working && (recorded || m.writtenAfter(w.link)):
		return fateTaken // the writer of in_progress had the handoff
	case working && m.brought(w.link):
		return fateTaken // it is about the work of others
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

// brought reports whether a handoff came into a tree that was known and was no news: git brought
// it, or it was moved or copied. Then it says nothing of the agent that works here.
func (m *metadata) brought(l link) bool {
	if m.World.Known == nil || l.fresh {
		return false
	}
	known := m.known(l.Document)
	return known.Came && !known.News
}

// writtenAfter reports whether somebody wrote the metadata who had the handoff. If the handoff was
// presented, which set the status to partial, another status was written after that. Otherwise
// the times show it. They can be compared exactly: a copy of both files, or a checkout, is no
// news.
func (m *metadata) writtenAfter(l link) bool {
	if m.Metadata.Src == nil || m.World.Known == nil {
		return false
	}
	since := m.Modified(l.Path)
	if !l.fresh {
		known := m.known(l.Document)
		if known.News {
			return true
		}
		if since = known.Since; m.records(l) {
			return false // its writer may be that of the handoff
		}
	}
	return !since.IsZero() && m.authored(m.Metadata.Path).After(since)
}

// pointsNowhere reports whether the metadata presents a handoff that does not exist.
func (m *metadata) pointsNowhere() bool {
	return m.text("status") == "partial" && m.text("partial_progress", "stage") == handoff.StageHandoff &&
		m.lost(m.text("partial_progress", "handoff_path"))
}

// insteadOf is the fate of the newest handoff if the metadata presents one that does not
// exist: it waits instead, unless it is older and was taken up by the writer of the other. Two
// names of one second are of one writing, whose author wrote another phase in the metadata.
func (m *metadata) insteadOf(gone string, l link) fate {
	n := handoff.ParseName(gone)
	at, other := handoff.WrittenBy(l.Name, nil), handoff.WrittenBy(n, nil)
	switch {
	case at.Named.Known() && at.Named == other.Named && at.Named.Unit == time.Second:
		return fateOpen
	case at.Compare(other) == handoff.Older, l.Name.ComparePhase(n) == handoff.Older:
		return fateTaken
	}
	return fateOpen
}

// committedAfter reports whether git got the metadata after the handoff. Its
// writer had the handoff then, and did not name it.
func (m *metadata) committedAfter(o *order, l link) bool {
	if m.World.Committed == nil || m.text("partial_progress", "stage") == "" {
		return false
	}
	at := m.committed()
	added, ok := o.addedAt(l.Path)
	return ok && at.After(added)
}

// presentsOlder reports whether the metadata is about an older handoff, and so
// was written before this one.
func (m *metadata) presentsOlder(o *order, best int) bool {
	p := m.local(m.text("partial_progress", "handoff_path"))
	for i, l := range o.links {
		if l.Path == p && i != best {
			return o.certain(best, i)
		}
	}
	return false
}

// seenWritten reports whether the caller saw the handoff being written, and the
// metadata is older. A system's clock for files may stand still for some milliseconds:
// of two files with the same time the metadata is older unless it names the handoff, or
// says that it is not older than that time.
func (m *metadata) seenWritten(l link) bool {
	if !l.fresh || m.Metadata.Src == nil || m.World.Modified == nil {
		return false
	}
	document, file := m.Modified(l.Path), m.Modified(m.Metadata.Path)
	if document.IsZero() || file.IsZero() {
		return false
	}
	if !document.Equal(file) {
		return document.After(file)
	}
	said := m.since(handoff.Moment{Time: document.Truncate(time.Second), Unit: time.Second, Zoned: true})
	return !m.records(l) && !said.after && !said.overlaps
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
