package reconcile

import (
	"handoff/document/handoff"
	"handoff/internal/json/jsonedit"
)

// since compares the times in the metadata with that of a handoff.
type since struct {
	after    bool   // one is later
	overlaps bool   // one may be earlier or later
	before   bool   // there is one, and all are earlier
	own      bool   // one of the earlier ones is when the metadata was written
	unsure   string // the first that may be earlier or later, as written
}

func (s since) text() string {
	if s.unsure != "" {
		return " and " + s.unsure + ", which may be earlier or later than the handoff"
	}
	return ", but there is no time"
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

// timeKeys are the times in metadata; an own one is when it was written.
var timeKeys = [...]struct {
	name string
	own  bool
}{{"started_at", false}, {"updated_at", true}, {"last_updated", true}, {"completed_at", true}, {"timestamp", true}}
