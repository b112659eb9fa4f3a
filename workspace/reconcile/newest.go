package reconcile

import (
	"path"
	"slices"
	"time"

	"handoff/document/handoff"
)

// order finds out which document of a task is the newest. Names, titles and
// labels show when a document was written; if they leave it open, git and file
// times decide.
type order struct {
	State
	written []handoff.Written
	ahead   []bool // its time is in the future: see mostAhead
	links   []link
	outputs []recorded // what the metadata records of each
}

func (m *metadata) order() *order {
	o := &order{State: m.State, links: m.links}
	records := m.recordedOrder()
	for _, l := range m.links {
		w, ahead := m.believed(handoff.WrittenBy(l.Name, l.Doc))
		r, ok := records[l.Path]
		if !ok {
			r.at = -1
		}
		if r.written.Known() {
			w.Named, w.At, ahead = r.written, r.written, false
		} else if seen, ok := m.seenAt(l); ok {
			if r.seen = seen; fast(w, seen) {
				w.Named = handoff.Moment{Time: seen, Unit: time.Second, Zoned: true}
				w.At, ahead = w.Named, false
			}
		}
		o.written, o.ahead, o.outputs = append(o.written, w), append(o.ahead, ahead), append(o.outputs, r)
	}
	return o
}

// mostAhead is how far in the future the time of a document may be: local time
// written as UTC is up to 14 hours ahead, and clocks are off by hours. A later
// time was invented; if it were accepted, its document would be the newest
// until then.
const mostAhead = 24 * time.Hour

// Ahead reports whether a time is too far after now to be true. It is false if
// now is unknown.
func Ahead(m handoff.Moment, now time.Time) bool {
	return m.Known() && !now.IsZero() && m.Earliest().After(now.Add(mostAhead))
}

// Ahead reports whether a document's time is not believed, because it is too far in the
// future: which document is the newest then depends on the clock.
func (s State) Ahead() bool {
	return slices.ContainsFunc(s.Documents, func(d Document) bool {
		_, ahead := s.believed(handoff.WrittenBy(d.Name, d.Doc))
		return ahead
	})
}

// believed is the time of a document, without times that are too far in the
// future.
func (s State) believed(w handoff.Written) (_ handoff.Written, ahead bool) {
	if Ahead(w.Named, s.Now) {
		w.Named, w.At, ahead = handoff.Moment{}, handoff.Moment{}, true
	}
	if Ahead(w.At, s.Now) {
		w.At, ahead = w.Named, true
	}
	return w, ahead
}

// compare orders two documents by the best evidence: the times in their names, when
// they were committed, the times in their text (which agents sometimes invent), when
// the files were changed, and their phases, which are done in order.
func (o *order) compare(i, j int) handoff.Order {
	if c := o.stated(i, j); c != handoff.Unordered {
		return c
	}
	a, b := o.links[i], o.links[j]
	if c := o.byCommit(a.Path, b.Path); c != handoff.Unordered {
		return c
	}
	if c := o.written[i].At.Compare(o.written[j].At); c != handoff.Unordered {
		return c
	}
	if c := o.byFile(a.Path, b.Path); c != handoff.Unordered {
		return c
	}
	if continues(a.Doc) && continues(b.Doc) {
		return handoff.Unordered // agents return to an earlier phase on the same day
	}
	return a.Name.ComparePhase(b.Name)
}

// stated orders two documents by evidence that outweighs a recorded pointer:
// one was written just now, or their names show which is older.
func (o *order) stated(i, j int) handoff.Order {
	a, b := o.links[i].fresh, o.links[j].fresh
	switch {
	case a && !b:
		return handoff.Newer
	case b && !a:
		return handoff.Older
	}
	if c := o.outputs[i].compare(o.outputs[j]); c != handoff.Unordered {
		return c
	}
	return o.written[i].Compare(o.written[j])
}

// byCommit orders files by when git got them. A file that git does not have is
// newer than one that it has.
func (o *order) byCommit(a, b string) handoff.Order {
	x, inGit := o.addedAt(a)
	y, otherInGit := o.addedAt(b)
	switch {
	case !inGit && !otherInGit:
		return handoff.Unordered
	case !inGit:
		return handoff.Newer
	case !otherInGit:
		return handoff.Older
	}
	return handoff.Order(x.Compare(y))
}

// addedAt is when git got a document.
func (o *order) addedAt(path string) (at time.Time, ok bool) {
	at, ok = o.added()[path]
	return at, ok
}

// together is the longest time that a checkout or a copy takes to write the
// files of a folder. Times that are closer together prove nothing.
const together = 10 * time.Second

// byFile orders files by their modification times.
func (s State) byFile(a, b string) handoff.Order {
	if s.World.Modified == nil {
		return handoff.Unordered
	}
	x, y := s.authored(a), s.authored(b)
	switch {
	case x.IsZero() || y.IsZero():
	case y.Sub(x) > together:
		return handoff.Older
	case x.Sub(y) > together:
		return handoff.Newer
	}
	return handoff.Unordered
}

// authored is when a file was last written by an agent or a person; zero if git wrote it, or
// that is unknown.
func (s State) authored(path string) time.Time {
	if s.wroteByGit(path) {
		return time.Time{}
	}
	return s.Modified(path)
}

// newest is the newest of some documents if all others are known to be older;
// otherwise -1 with the reason.
func (o *order) newest(among []int) (best int, doubt string) {
	if len(among) == 0 {
		return -1, ""
	}
	best = among[0]
	for _, i := range among[1:] {
		if c := o.compare(i, best); c == handoff.Newer {
			best = i
		}
	}
	for _, i := range among { // the relation may not be transitive
		if i == best {
			continue // comparing it with itself would ask git
		}
		if c := o.compare(best, i); c != handoff.Newer {
			return -1, "cannot tell whether " + o.base(i) + " is newer than " + o.base(best)
		}
	}
	return best, ""
}

func (o *order) base(i int) string { return path.Base(o.links[i].Path) }

// certain reports whether a document is newer than another on evidence that
// outweighs a recorded pointer to the other. If the other's time is too far in
// the future, it may have been recorded because of that time: then git and file
// times count, too.
func (o *order) certain(newer, older int) bool {
	c := o.stated(newer, older)
	if o.ahead[older] && !o.ahead[newer] {
		c = o.compare(newer, older)
	}
	return c == handoff.Newer
}

// choose finds the newest document that passes work to a successor. pointer is
// the one that the metadata names; only a document that is certainly newer
// replaces it. If the newest one is unclear, choose returns -1 and the doubt.
func (o *order) choose(pointer string) (best int, doubt string) {
	var open, reports []int
	for i, l := range o.links {
		switch {
		case o.open(l):
			open = append(open, i)
		case !l.Doc.Unfilled() && !slices.Contains(o.Unfinished, l.Path):
			reports = append(reports, i)
		}
	}
	named := slices.IndexFunc(o.links, func(l link) bool { return l.Path == pointer })
	among := open
	if named >= 0 {
		among = slices.DeleteFunc(slices.Clone(open), func(i int) bool { return !o.certain(i, named) })
		if len(among) == 0 {
			return o.keep(named, open)
		}
	}
	best, doubt = o.newest(among)
	if best < 0 {
		return -1, doubt
	}
	for _, i := range reports { // a phase that was closed later
		if c := o.compare(i, best); c == handoff.Newer {
			return -1, ""
		}
	}
	return best, ""
}

// keep is choose if no document is certainly newer than the recorded one. A
// document that appeared after the metadata was written may be newer.
func (o *order) keep(named int, open []int) (best int, doubt string) {
	for _, i := range open {
		if i == named {
			continue // comparing it with itself would need file times
		}
		c := o.stated(i, named)
		a, b := o.links[i].Path, o.links[named].Path
		if c == handoff.Unordered && o.byFile(a, b) == handoff.Newer && o.byFile(a, o.Metadata.Path) == handoff.Newer {
			return -1, "cannot tell whether " + o.base(i) + " is newer than " + o.base(named)
		}
	}
	if !o.open(o.links[named]) {
		return -1, ""
	}
	return named, ""
}

// open reports whether a document passes unfinished work to a successor, and is finished
// itself.
func (s State) open(l link) bool {
	return continues(l.Doc) && !slices.Contains(s.Unfinished, l.Path)
}

// continues reports whether a document passes unfinished work to a successor.
// The report of a closed phase may name a next action, too.
func continues(d *handoff.Document) bool { return d.Continues() && !d.ClaimsCompletion() }
