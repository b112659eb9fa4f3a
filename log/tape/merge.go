package tape

import (
	"context"
	"errors"
	"io/fs"

	"handoff/internal/journal"
	"handoff/log/tape/entry"
	"handoff/log/tape/lineage"
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
	Notified  bool   `json:"notified,omitempty"` // the last of them is a message that the fork is complete
	Archived  string `json:"archived"`           // the fork's file, below the store's folder
}

// Merge appends a fork's own entries to its parent, in one write (in several where
// they are more than 4 MiB) and with their origin, and archives the fork, which
// accepts no more entries. The parent may
// have continued. Another call completes an interrupted merge, with the anchors
// as in the first call; no merge is done twice. A parent that does not exist is
// fs.ErrNotExist, and the fork stays open. A fork that was created to notify its parent
// ends with a message to it: see [lineage.Notifying].
func (t *Tape) Merge(ctx context.Context, r MergeRequest) (MergeResult, error) {
	return t.end(ctx, lineage.Closing{As: lineage.Merged, KeepAnchors: r.KeepAnchors})
}

// Discard ends a fork without copying its entries. It is recorded on the parent, if that
// exists, and the fork is archived.
func (t *Tape) Discard(ctx context.Context, reason string) (MergeResult, error) {
	return t.end(ctx, lineage.Closing{As: lineage.Discarded, Reason: reason})
}

// end closes the fork, writes its outcome to the parent and archives it, in this
// order and each step once.
func (t *Tape) end(ctx context.Context, c lineage.Closing) (r MergeResult, err error) {
	if t, err = t.fixed(ctx); err != nil {
		return r, err
	}
	j, release, err := t.forkJournal(ctx)
	if err != nil {
		return r, err
	}
	defer release()
	f, _, err := lineage.EventOf(j)
	if err != nil {
		return r, err
	}
	c.Into = f.Parent
	for _, name := range []string{t.name, f.Parent} { // before the fork is closed
		if err := (&Tape{store: t.store, name: name}).earlier(ctx); err != nil {
			return r, err
		}
	}
	if err := t.mayEnd(ctx, j, f, c); err != nil {
		return r, err
	}
	c, repeated, err := t.closeAs(ctx, j, c)
	if err != nil {
		return r, err
	}
	own, err := lineage.OwnOf(j)
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
	o := lineage.Outcome{Name: entry.EventMerge, Event: lineage.Ending{Fork: f.SessionID, Tape: t.name, Entries: r.Entries}, Copies: lineage.Copies(own, t.name, c.KeepAnchors)}
	if c.As == lineage.Discarded {
		o.Name, o.Event.Reason, o.Copies = entry.EventDiscard, c.Reason, func(func(Entry, error) bool) {}
	} else if o.Copies, r.Notified, err = lineage.Notifying(j, t.name, o.Copies); err != nil {
		return r, err
	}
	if r.First, r.Last, err = t.writeOutcome(ctx, f, o, repeated); c.As == lineage.Discarded && errors.Is(err, errNoParent) {
		err = nil // there is nothing to record it on
	}
	if err != nil {
		return r, err
	}
	// Added before the file is archived: later writers must not create the tape
	// again.
	l := f.Fork()
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

// mayEnd is an error if the parent cannot get what a fork is about to be merged with: its
// entries would be refused after the fork is closed.
func (t *Tape) mayEnd(ctx context.Context, j *journal.Journal, f lineage.Event, c lineage.Closing) error {
	if _, closed, err := lineage.ClosingOf(j); err != nil || closed || c.As == lineage.Discarded {
		return err // an interrupted merge is completed from what the parent has
	}
	parent, err := t.store.Tape(f.Parent)
	if err != nil {
		return err
	}
	if parent, err = parent.fixed(ctx); err != nil {
		return err
	}
	into, release, err := t.store.journal(ctx, parent.path)
	if errors.Is(err, fs.ErrNotExist) {
		return t.noParent(f)
	}
	if err != nil {
		return err
	}
	defer release()
	if err = parent.closed(into); errors.Is(err, errSealed) {
		err = nil // at this moment: the outcome goes to its next file
	}
	return err
}

// archiveFork ends the file of a fork that was merged or discarded.
func (t *Tape) archiveFork(ctx context.Context, c lineage.Closing) (archived string, err error) {
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
func (t *Tape) forkJournal(ctx context.Context) (j *journal.Journal, release func(), err error) {
	if j, release, err = t.openExisting(ctx); err != nil {
		return nil, nil, err
	}
	_, ok, err := lineage.EventOf(j)
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
func (t *Tape) closeAs(ctx context.Context, j *journal.Journal, c lineage.Closing) (as lineage.Closing, repeated bool, err error) {
	event, err := entry.NewEvent(entry.EventClosed, c)
	if err != nil {
		return c, false, err
	}
	_, err = t.appendTo(ctx, j, journal.Final(), func(j *journal.Journal, _ uint64) ([]Entry, error) {
		before, ok, err := lineage.ClosingOf(j)
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
