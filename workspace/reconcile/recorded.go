package reconcile

import (
	"strings"
	"time"

	"handoff/document/handoff"
)

// The order of documents follows from their names, unless a name is wrong: an agent may write
// local time as UTC, or have a wrong clock. Then the handoff that is written next looks older.
// It is known to be newer when it is news. That is recorded in its output, where other clones
// and later looks find it: the member written_at, and its place after the others.

// writtenAt is the member of an output that says when its document was seen to be written,
// and so that it was newer then than those whose outputs are before it. It is only recorded
// if the name does not show the same.
const writtenAt = "written_at"

// recorded is what the output of a document records about its order. at is the index of the
// output, -1 for none.
type recorded struct {
	at      int
	written handoff.Moment
	seen    time.Time // when it was written, by what was seen at an earlier look; zero if that is unknown
}

// seenAt is when a document was written, by what was seen at an earlier look.
func (s State) seenAt(l link) (at time.Time, ok bool) {
	if s.World.Known == nil {
		return time.Time{}, false
	}
	k := s.known(l.Document)
	return k.Since, k.News
}

// fast reports whether a name says a later time than that at which its document was seen.
func fast(w handoff.Written, seen time.Time) bool {
	return w.Named.Known() && w.Named.Earliest().After(seen.Add(mostFast))
}

// recordedOrder is what the outputs record, by the path of the document.
func (m *metadata) recordedOrder() map[string]recorded {
	if m.file == nil || !strings.Contains(m.file.String(), `"`+writtenAt+`"`) {
		return nil // the places alone decide nothing
	}
	order := map[string]recorded{}
	for i, e := range m.entries() {
		r := recorded{at: i}
		if e.object {
			r.written = handoff.ParseMoment(m.text("artifacts", i, writtenAt))
		}
		if _, ok := order[m.local(e.path)]; !ok {
			order[m.local(e.path)] = r
		}
	}
	return order
}

// compare orders two documents if one was recorded as newer than the other.
func (r recorded) compare(other recorded) handoff.Order {
	if !r.seen.IsZero() && !other.seen.IsZero() && !r.seen.Equal(other.seen) {
		return handoff.Order(r.seen.Compare(other.seen))
	}
	switch a, b := r.written.Known(), other.written.Known(); {
	case r.at < 0 || other.at < 0 || a == b: // two times are compared like others
		return handoff.Unordered
	case a && other.at < r.at:
		return handoff.Newer
	case b && r.at < other.at:
		return handoff.Older
	}
	return handoff.Unordered
}

// mostFast is how fast the clock of an agent may be without a record: the next handoff is
// written later than that.
const mostFast = time.Minute

// writtenAt is what to record of a document that is news; "" if its name shows that it is the
// newest.
func (m *metadata) writtenAt(l link) string {
	if !l.fresh || m.Now.IsZero() {
		return ""
	}
	own := handoff.WrittenBy(l.Name, l.Doc)
	at := m.Now
	if m.World.Modified != nil {
		if changed := m.Modified(l.Path); !changed.IsZero() && changed.Before(at) {
			at = changed
		}
	}
	wrong := fast(own, at)
	for _, other := range m.links {
		older := other.Path == l.Path || other.fresh || handoff.WrittenBy(other.Name, other.Doc).Compare(own) == handoff.Older
		wrong = wrong || !older
	}
	if !wrong {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}
