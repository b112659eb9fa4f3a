package tape

import (
	"context"
	"errors"
	"iter"

	"handoff/internal/journal"
	"handoff/tape/entry"
	"handoff/tape/lineage"
	"handoff/tape/view"
)

// MergeRequest asks to merge a fork.
type MergeRequest struct {
	// KeepAnchors copies the fork's anchors as anchors, which cut the parent's
	// context. Otherwise only their events are copied.
	KeepAnchors bool
}

// MergeResult is the result of a merge or discard.
type MergeResult struct {
	Tape      string `json:"tape"`
	SessionID string `json:"session_id"`
	Parent    string `json:"parent"`
	Entries   int    `json:"entries"`         // of the fork's own
	First     int64  `json:"first,omitempty"` // their ids in the parent
	Last      int64  `json:"last,omitempty"`
	Archived  string `json:"archived"` // the fork's file, below the store's folder
}

// mergeEvent is the data of the events "tape.merge" and "tape.discard" in the
// parent. The copied entries follow it.
type mergeEvent struct {
	Fork    string `json:"fork"` // the session
	Tape    string `json:"tape"`
	Entries int    `json:"entries"`
	Reason  string `json:"reason,omitempty"` // of a discard
}

// Merge appends a fork's own entries to its parent, in one write (in several where
// they are more than 4 MiB) and with their origin, and archives the fork, which
// accepts no more entries. The parent may
// have continued. Another call completes an interrupted merge, with the anchors
// as in the first call; no merge is done twice.
func (t *Tape) Merge(ctx context.Context, r MergeRequest) (MergeResult, error) {
	return t.end(ctx, closing{As: lineage.Merged, KeepAnchors: r.KeepAnchors})
}

// Discard ends a fork without copying its entries. It is recorded on the parent,
// and the fork is archived.
func (t *Tape) Discard(ctx context.Context, reason string) (MergeResult, error) {
	return t.end(ctx, closing{As: lineage.Discarded, Reason: reason})
}

// end closes the fork, writes its outcome to the parent and archives it, in this
// order and each step once.
func (t *Tape) end(ctx context.Context, c closing) (r MergeResult, err error) {
	if t, err = t.fixed(); err != nil {
		return r, err
	}
	j, release, err := t.forkJournal()
	if err != nil {
		return r, err
	}
	defer release()
	f, _, err := forkOf(j)
	if err != nil {
		return r, err
	}
	c.Into = f.Parent
	c, repeated, err := t.closeAs(ctx, j, c)
	if err != nil {
		return r, err
	}
	own, err := ownOf(j)
	if err != nil {
		return r, err
	}
	r = MergeResult{Tape: t.name, SessionID: f.SessionID, Parent: f.Parent}
	for _, err := range own {
		if err != nil {
			return r, err
		}
		r.Entries++
	}
	o := outcome{name: entry.EventMerge, event: mergeEvent{Fork: f.SessionID, Tape: t.name, Entries: r.Entries}, copies: copies(own, t.name, c.KeepAnchors)}
	if c.As == lineage.Discarded {
		o.name, o.event.Reason, o.copies = entry.EventDiscard, c.Reason, func(func(Entry, error) bool) {}
	}
	if r.First, r.Last, err = t.writeOutcome(ctx, f, o, repeated); err != nil {
		return r, err
	}
	// Added before the file is archived: later writers must not create the tape
	// again.
	l := f.lineage()
	l.Status = c.As
	if err := t.store.graph().Add(ctx, l); err != nil {
		return r, err
	}
	if r.Archived, err = t.archiveFork(ctx, c); err != nil {
		return r, err
	}
	t.store.refresh(t.name, f.Parent)
	return r, nil
}

// archiveFork ends the file of a fork that was merged or discarded.
func (t *Tape) archiveFork(ctx context.Context, c closing) (archived string, err error) {
	if !t.sealing() {
		return t.replace(ctx, change{})
	}
	archived, err = t.seal(ctx, c, nil)
	if errors.Is(err, errSealed) { // another process was faster
		archived, err = t.store.relative(t.path), nil
	}
	return archived, err
}

// forkJournal is the journal of the tape, which must be a fork; release it.
func (t *Tape) forkJournal() (j *journal.Journal, release func(), err error) {
	if j, release, err = t.openExisting(); err != nil {
		return nil, nil, err
	}
	_, ok, err := forkOf(j)
	if err == nil && !ok || t.bare {
		err = entry.Invalid("tape %s is not a fork", t.name)
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	return j, release, nil
}

// closeAs writes that the fork is over, and returns how it was closed. repeated
// reports that another call did so before.
func (t *Tape) closeAs(ctx context.Context, j *journal.Journal, c closing) (as closing, repeated bool, err error) {
	event, err := entry.NewEvent(entry.EventClosed, c)
	if err != nil {
		return c, false, err
	}
	_, err = t.appendTo(ctx, j, journal.Final(), func(j *journal.Journal, _ uint64) ([]Entry, error) {
		before, ok, err := closingOf(j)
		switch repeated = ok; {
		case err != nil:
			return nil, err
		case ok && before.Sealed:
			return nil, t.missing()
		case ok && before.As != c.As:
			return nil, entry.Invalid("tape %s is already %s", t.name, before.As)
		case ok:
			c = before
			return nil, nil
		}
		return []Entry{event}, nil
	})
	return c, repeated, err
}

// ownOf are the entries after the fork event that are not about the fork itself:
// without its intention, or the first anchor of a reset. There may be more than
// fit into memory.
func ownOf(j *journal.Journal) (own iter.Seq2[Entry, error], err error) {
	n, err := j.Len()
	if err != nil {
		return nil, err
	}
	v := &view.View{Segments: []view.Segment{view.File(j, n)}}
	fork, ok, err := v.Last(view.Forks, entry.IsEvent(entry.EventFork))
	part := view.All()
	if part.From = fork.Spot.Next(); !ok {
		part.To = part.From // a tape without a fork event has no own entries
	}
	return func(yield func(Entry, error) bool) {
		var first Entry
		i := -1
		for e, err := range v.Entries(part) {
			if i++; i == 0 {
				first = e
			}
			if err == nil && (i < 2 && setsUp(&e, &first, i) || e.Kind == entry.KindEvent && (e.Name() == entry.EventClosed || e.Name() == entry.EventTitle)) {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}, err
}

// setsUp reports whether the entry at an index, 0 or 1, sets up the fork: its
// first anchor, if it is one that forks and resets write, and its event.
func setsUp(e, first *Entry, i int) bool {
	ours := first.Kind == entry.KindAnchor && (first.Name() == entry.AnchorIntention || first.Name() == entry.AnchorStart)
	return ours && (i == 0 || e.IsEventOf(first))
}

// copies are the entries for the parent. Unless anchors are kept, an anchor is
// replaced by its event.
func copies(own iter.Seq2[Entry, error], fork string, keepAnchors bool) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		event := func(anchor *Entry) Entry {
			e := anchor.Event()
			e.ID = anchor.ID
			return e.CopiedFrom(fork)
		}
		var anchor *Entry // whose event may be the next entry
		for e, err := range own {
			if err == nil && anchor != nil && !e.IsEventOf(anchor) && !yield(event(anchor), nil) {
				return
			}
			if anchor = nil; err == nil && e.Kind == entry.KindAnchor && !keepAnchors {
				anchor = &e
				continue
			}
			if !yield(e.CopiedFrom(fork), err) {
				return
			}
		}
		if anchor != nil {
			yield(event(anchor), nil)
		}
	}
}
