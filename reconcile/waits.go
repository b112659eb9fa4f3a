package reconcile

import (
	"bytes"
	"fmt"
	"path"
	"strconv"
	"strings"

	"handoff"
	"handoff/internal/jsonedit"
)

// waiting is what the files of a task tell of a handoff that waits for somebody
// to go on. Only then does partial_progress change.
type waiting struct {
	link
	waits bool
	newer bool   // beyond doubt, than the text in partial_progress
	doubt string // why that cannot be told, and nothing changes
}

// waiting finds the handoff that waits. It waits while nothing shows that it was
// taken up: an agent that started after it, a stage of a later phase, a status
// that is final.
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
	said := m.since(o.written[best].At)
	w.newer = said.before && (said.own || m.stageZero()) || m.presentsOlder(o, best) || m.writtenBefore(w.link, o.written[best].At)
	switch m.takenUp(w, said) {
	case fateOpen:
		w.waits = true
	case fateUnclear:
		w.doubt = fmt.Sprintf("cannot tell whether %s was taken up: status is %q%s", path.Base(w.Path), m.text("status"), said.text())
	}
	return w
}

// open reports whether the metadata speaks of work that may wait: not of work
// that is finished, or that waits for a person.
func (m *metadata) open() bool {
	switch m.text("status") {
	case "", "in_progress", "partial":
	default:
		return false // a finished status is not moved back
	}
	if v, ok := m.file.Get("requires_user_review"); ok {
		if wait, _ := v.Bool(); wait {
			return false // a person was asked for; a handoff would send the lead on
		}
	}
	return len(m.links) > 0
}

// pointer is the document that somebody recorded as the newest, also where
// nobody looks for it.
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

// takenUp weighs what the metadata says.
func (m *metadata) takenUp(w waiting, said since) fate {
	recorded := m.text("partial_progress", "handoff_path") == w.Path
	working := m.text("status") == "in_progress"
	switch {
	case said.after:
		return fateTaken
	case working && recorded:
		return fateTaken // whoever wrote in_progress had the handoff before them
	case w.newer:
		return fateOpen
	case m.stageAfter(w.Name), !recorded && m.phaseAfter(w.Name), m.blocked():
		return fateTaken
	case m.byFile(w.Path, m.Metadata.Path) == handoff.Newer:
		return fateOpen
	case working:
		if said.overlaps || !said.before && m.text("partial_progress", "stage") == stageZero {
			return fateUnclear
		}
	case said.overlaps && !m.records(w.link):
		return fateUnclear
	}
	return fateOpen
}

// since is how the times in the metadata are to that of a handoff.
type since struct {
	after    bool   // one is later
	overlaps bool   // of one that cannot be told
	before   bool   // there are some, and all are earlier
	own      bool   // one of those is when the metadata was written
	unsure   string // the first that cannot be told, as it is written
}

func (s since) text() string {
	if s.unsure != "" {
		return " and " + s.unsure + ", but when the handoff was written is not known well enough"
	}
	return ", but nothing says since when"
}

// since compares all times of the metadata with that of a handoff.
func (m *metadata) since(at handoff.Moment) (s since) {
	for _, in := range []jsonedit.Path{nil, {"partial_progress"}, {"metadata"}} {
		for _, key := range timeKeys {
			text := m.text(append(in[:len(in):len(in)], key.name)...)
			t := handoff.ParseMoment(text)
			if !t.Known() {
				continue
			}
			switch t.Compare(at) {
			case handoff.Newer:
				s.after = true
			case handoff.Older:
				s.before = true
				s.own = s.own || key.own
			default:
				if !s.overlaps {
					s.overlaps, s.unsure = true, key.name+" is "+text
				}
			}
		}
	}
	s.before = s.before && !s.after && !s.overlaps
	return s
}

// timeKeys are the times in metadata; own ones say when it was written.
var timeKeys = [...]struct {
	name string
	own  bool
}{{"started_at", false}, {"updated_at", true}, {"last_updated", true}, {"completed_at", true}, {"timestamp", true}}

// presentsOlder reports whether the metadata is about an older handoff: all that
// it says is of then.
func (m *metadata) presentsOlder(o *order, best int) bool {
	p := m.text("partial_progress", "handoff_path")
	for i, l := range o.links {
		if l.Path == p && i != best {
			return o.certain(best, i)
		}
	}
	return false
}

// writtenBefore reports whether the metadata was written before the handoff, by
// the time of its file: only where the handoff's own time says so, too.
func (m *metadata) writtenBefore(l link, at handoff.Moment) bool {
	if m.byFile(l.Path, m.Metadata.Path) != handoff.Newer {
		return false
	}
	t := m.Modified(m.Metadata.Path)
	return handoff.Moment{Time: t, Zoned: true}.Compare(at) == handoff.Older
}

// stageZero is what an agent writes that has only begun.
const stageZero = "initializing"

func (m *metadata) stageZero() bool {
	stage := m.text("partial_progress", "stage")
	return stage == "" || stage == stageZero
}

// stageAfter reports whether the stage is one of a later phase than a
// handoff's, or says that its phase is done: phase_4_in_progress.
func (m *metadata) stageAfter(n handoff.Name) bool {
	stage := strings.ToLower(m.text("partial_progress", "stage"))
	_, rest, ok := strings.Cut(stage, "phase")
	rest = strings.TrimLeft(rest, "_- ")
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(rest)
	}
	phase, err := strconv.Atoi(rest[:end])
	last := n.LastPhase()
	if !ok || err != nil || last < 0 {
		return false
	}
	done := strings.Contains(stage, "complete") && !strings.Contains(stage, "incomplete") && !strings.Contains(stage, "analysis")
	return phase > last || phase == last && done && n.Plain()
}

// phaseAfter reports whether the counts say that the phase of a handoff is done,
// or that a later one is at work. A plan that begins with phase 0 has more
// phases done than the last of them says.
func (m *metadata) phaseAfter(n handoff.Name) bool {
	last := n.LastPhase()
	if last < 0 {
		return false
	}
	number := func(at ...any) (int, bool) {
		v, _ := m.file.Get(at...)
		i, whole := v.Int64()
		return int(i), whole
	}
	if now, ok := number("partial_progress", "current_phase"); ok && now > last {
		return true
	}
	done, ok := number("partial_progress", "phases_completed")
	if !ok {
		done, ok = number("metadata", "phases_completed")
	}
	return ok && done >= last && last > 0 && !bytes.Contains(m.Plan.Src, []byte("Phase 0"))
}

// blocked reports whether the stage says that nobody can go on.
func (m *metadata) blocked() bool {
	stage := strings.ReplaceAll(strings.ToLower(m.text("partial_progress", "stage")), "unblock", "")
	return strings.Contains(stage, "block") || strings.Contains(stage, "impossible")
}

// records reports whether an agent named the handoff in the metadata. An output
// that is as we write it may be ours.
func (m *metadata) records(l link) bool {
	if m.pointer() == l.Path {
		return true
	}
	for i, e := range m.entries() {
		if e.path == l.Path && !(e.object && m.text("artifacts", i, "bundle_artifact_id") != "" && m.derivedSummary(i, l)) {
			return true
		}
	}
	return false
}

func (m *metadata) derivedSummary(i int, l link) bool {
	summary := m.text("artifacts", i, "summary")
	if summary == l.summary() {
		return true
	}
	old, ok := m.before(i, l)
	return ok && summary == old.summary()
}

// handsOn reports whether a document hands work on. The report of a phase that
// was closed may name a next action all the same.
func handsOn(d *handoff.Document) bool {
	if !d.Continues() {
		return false
	}
	if l := d.Preamble.Label("Status"); l != nil && closes(l.Value) {
		return false
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		name, text, _ := strings.Cut(s.Heading.Text, ":")
		if !strings.EqualFold(strings.TrimSpace(name), "status") {
			continue
		}
		if closes(text + " " + d.Text(s.Body)) {
			return false
		}
	}
	title := strings.ToLower(strings.TrimRight(d.Title.Text, ") "))
	return !strings.HasSuffix(title, "complete") && !strings.HasSuffix(title, "completed")
}

// closes reports whether a status says that nothing is left: it begins with
// COMPLETED, and takes nothing back.
func closes(status string) bool {
	s := strings.ToLower(strings.TrimLeft(status, " *_`[✅\n"))
	if !strings.HasPrefix(s, "complete") && !strings.HasPrefix(s, "done") {
		return false
	}
	for _, word := range []string{"partial", "blocked", "remain", "in progress", "except", "not "} {
		if strings.Contains(s, word) {
			return false
		}
	}
	return true
}
