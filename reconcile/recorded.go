package reconcile

import (
	"slices"
	"time"

	"handoff"
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
}

// recordedOrder is what the outputs record, by the path of the document.
func (m *metadata) recordedOrder() map[string]recorded {
	if m.file == nil {
		return nil
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
	if m.isFresh(l) == 0 || m.Now.IsZero() {
		return ""
	}
	own := handoff.WrittenBy(l.Name, l.Doc)
	wrong := own.Named.Known() && own.Named.Earliest().After(m.Now.Add(mostFast))
	for _, other := range m.links {
		older := other.Path == l.Path || m.isFresh(other) > 0 || handoff.WrittenBy(other.Name, other.Doc).Compare(own) == handoff.Older
		wrong = wrong || !older
	}
	if !wrong {
		return ""
	}
	return m.Now.UTC().Format(time.RFC3339)
}

// isFresh is 1 for a document that is news, else 0.
func (m *metadata) isFresh(l link) int {
	if slices.Contains(m.Fresh, l.Path) {
		return 1
	}
	return 0
}
