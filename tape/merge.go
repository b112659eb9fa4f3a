package tape

import (
	"context"
	"iter"
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
	return t.end(ctx, closing{As: Merged}, func(own ownEntries, m mergeEvent) (Entry, iter.Seq2[Entry, error], error) {
		event, err := newEvent(eventMerge, m)
		return event, own.merged(t.name, r.KeepAnchors), err
	})
}

// Discard ends a fork without taking anything over. Its parent is told, and
// the fork archived.
func (t *Tape) Discard(ctx context.Context, reason string) (MergeResult, error) {
	return t.end(ctx, closing{As: Discarded, Reason: reason}, func(_ ownEntries, m mergeEvent) (Entry, iter.Seq2[Entry, error], error) {
		m.Reason = reason
		event, err := newEvent(eventDiscard, m)
		return event, func(func(Entry, error) bool) {}, err
	})
}

// end closes the fork, writes to its parent what is to be written there, and
// archives it: in this order, each step done once.
func (t *Tape) end(ctx context.Context, c closing, write func(own ownEntries, m mergeEvent) (Entry, iter.Seq2[Entry, error], error)) (MergeResult, error) {
	f, own, begun, err := t.closeFork(ctx, c)
	if err != nil {
		return MergeResult{}, err
	}
	defer own.release()
	n, err := own.count()
	r := MergeResult{Tape: t.name, SessionID: f.SessionID, Parent: f.Parent, Entries: n}
	if err != nil {
		return r, err
	}
	event, more, err := write(own, mergeEvent{Fork: f.SessionID, Tape: t.name, Entries: n})
	if err != nil {
		return r, err
	}
	if r.First, r.Last, err = t.tellParent(ctx, f, ending{event, more}, begun); err != nil {
		return r, err
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
// itself: without its intention, or the bootstrap anchor of a reset. They are
// read anew each time: there may be more of them than fit into memory.
type ownEntries struct {
	view    *view
	behind  *spot // nil if there are none
	release func()
}

func ownOf(j *journal.Journal) (own ownEntries, err error) {
	n, err := j.Len()
	if err != nil {
		return own, err
	}
	own.view = &view{segments: []segment{all(j, n)}}
	f, ok, err := own.view.last(listForks, isEvent(eventFork))
	if ok {
		own.behind = &f.spot
	}
	return own, err
}

func (o ownEntries) all() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if o.behind == nil {
			return
		}
		var first Entry
		i := -1
		for e, err := range o.view.between(o.behind, nil) {
			if i++; i == 0 {
				first = e
			}
			if err == nil && (i < 2 && setsUp(&e, &first, i) || e.Kind == KindEvent && (e.Name() == eventClosed || e.Name() == eventTitle)) {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// setsUp reports whether the entry at an index, 0 or 1, begins the fork: its
// first anchor, if that is one that we write, and the event that tells of it.
func setsUp(e, first *Entry, i int) bool {
	ours := first.Kind == KindAnchor && (first.Name() == intentionAnchor || first.Name() == bootstrap)
	return ours && (i == 0 || tellsOf(e, first))
}

func (o ownEntries) count() (n int, err error) {
	for _, err := range o.all() {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// merged are the entries for the parent. Unless anchors are kept, only the event
// of each is.
func (o ownEntries) merged(fork string, keepAnchors bool) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		var held *Entry // an anchor whose event may come next
		for e, err := range o.all() {
			if err == nil && held != nil && !tellsOf(&e, held) && !yield(withOrigin(toldOf(*held), fork), nil) {
				return
			}
			if held = nil; err == nil && e.Kind == KindAnchor && !keepAnchors {
				held = &e
				continue
			}
			if !yield(withOrigin(e, fork), err) {
				return
			}
		}
		if held != nil {
			yield(withOrigin(toldOf(*held), fork), nil)
		}
	}
}

// toldOf is the event that tells of an anchor, with the anchor's id.
func toldOf(anchor Entry) Entry {
	e := eventOf(anchor)
	e.ID = anchor.ID
	return e
}

// relative is a path as it is told: below the store's folder, with slashes.
func (s *Store) relative(path string) string {
	return strings.TrimPrefix(strings.ReplaceAll(strings.TrimPrefix(path, s.folder), `\`, "/"), "/")
}
