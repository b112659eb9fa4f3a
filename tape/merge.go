package tape

import (
	"context"
	"strings"

	"handoff/internal/journal"
)

// MergeRequest asks for what a fork has done.
type MergeRequest struct {
	// KeepAnchors lets the fork's anchors be anchors in the parent, too: then
	// they cut its context. By custom only the events that tell of them are
	// taken over.
	KeepAnchors bool
}

// MergeResult says what was done with a fork.
type MergeResult struct {
	Tape      string `json:"tape"`
	SessionID string `json:"session_id"`
	Parent    string `json:"parent"`
	Entries   int    `json:"entries"`         // of the fork's own
	First     int64  `json:"first,omitempty"` // their ids in the parent
	Last      int64  `json:"last,omitempty"`
	Archived  string `json:"archived"` // where the fork is now, below the store's folder
}

// mergeEvent is the data of the event "tape.merge", which stands in the parent
// before what was merged.
type mergeEvent struct {
	Fork    string `json:"fork"` // the session
	Tape    string `json:"tape"`
	Entries int    `json:"entries"`
	Reason  string `json:"reason,omitempty"` // of a discard
}

// Merge appends what a fork has of its own to its parent, in one write, each
// entry with its origin, and archives the fork: it takes no more entries. The
// parent may have gone on in the meantime. A merge that a crash has broken off
// is finished by another call; none is done twice.
func (t *Tape) Merge(ctx context.Context, r MergeRequest) (MergeResult, error) {
	return t.end(ctx, closing{As: Merged}, func(own []Entry, m mergeEvent) ([]Entry, error) {
		event, err := newEvent(eventMerge, m)
		if err != nil {
			return nil, err
		}
		merged := []Entry{event}
		for i, e := range own {
			if e.Kind == KindAnchor && !r.KeepAnchors {
				if i+1 < len(own) && tellsOf(&own[i+1], &e) {
					continue
				}
				id := e.ID
				e = eventOf(e)
				e.ID = id
			}
			merged = append(merged, withOrigin(e, t.name))
		}
		return merged, nil
	})
}

// Discard ends a fork without taking anything over. Its parent is told, and
// the fork archived.
func (t *Tape) Discard(ctx context.Context, reason string) (MergeResult, error) {
	return t.end(ctx, closing{As: Discarded, Reason: reason}, func(own []Entry, m mergeEvent) ([]Entry, error) {
		m.Reason = reason
		event, err := newEvent(eventDiscard, m)
		return []Entry{event}, err
	})
}

// end closes the fork, writes to its parent what is to be written there, and
// archives it: in this order, each step done once.
func (t *Tape) end(ctx context.Context, c closing, write func(own []Entry, m mergeEvent) ([]Entry, error)) (MergeResult, error) {
	f, own, begun, err := t.closeFork(ctx, c)
	if err != nil {
		return MergeResult{}, err
	}
	r := MergeResult{Tape: t.name, SessionID: f.SessionID, Parent: f.Parent, Entries: len(own)}
	entries, err := write(own, mergeEvent{Fork: f.SessionID, Tape: t.name, Entries: len(own)})
	if err != nil {
		return r, err
	}
	stored, err := t.tellParent(ctx, f, entries, begun)
	if err != nil {
		return r, err
	}
	if len(stored) > 1 {
		r.First, r.Last = stored[1].ID, stored[len(stored)-1].ID
	}
	// Noted first: who appends when the file is gone must not begin it anew.
	l := f.lineage()
	l.Status = c.As
	if err := t.store.note(ctx, l); err != nil {
		return r, err
	}
	if r.Archived, err = t.store.archive(ctx, t, nil); err != nil {
		return r, err
	}
	t.store.refresh(t.name, f.Parent)
	return r, nil
}

// ownEntries are those behind the fork event that are not about the fork
// itself: without its intention, or the bootstrap anchor of a reset.
func ownEntries(j *journal.Journal) (own []Entry, err error) {
	n, err := j.Len()
	if err != nil {
		return nil, err
	}
	v := &view{segments: []segment{all(j, n)}}
	f, ok, err := v.last(listForks, isEvent(eventFork))
	if err != nil || !ok {
		return nil, err
	}
	all, err := collect(v.between(&f.spot, nil))
	if err != nil {
		return nil, err
	}
	for i, e := range all {
		setUp := i < 2 && len(all) > 0 && all[0].Kind == KindAnchor && (all[0].Name() == intentionAnchor || all[0].Name() == bootstrap)
		about := e.Kind == KindEvent && (e.Name() == eventClosed || e.Name() == eventTitle)
		if setUp && (i == 0 || tellsOf(&e, &all[0])) || about {
			continue
		}
		own = append(own, e)
	}
	return own, nil
}

// relative is a path as it is told: below the store's folder, with slashes.
func (s *Store) relative(path string) string {
	return strings.TrimPrefix(strings.ReplaceAll(strings.TrimPrefix(path, s.folder), `\`, "/"), "/")
}
