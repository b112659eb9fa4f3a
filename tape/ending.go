package tape

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"time"

	"handoff/internal/journal"
)

// ending is what a parent gets of a fork: an event, and entries.
type ending struct {
	event Entry
	more  iter.Seq2[Entry, error]
}

// tellParent writes the end of a fork to its parent, if that does not know of
// it yet, and returns the ids of the first and the last entry after the event, 0
// if there are none. The parent may have been reset since it was told, or be
// over itself: then an archive knows. begun tells that the end was begun by
// another call.
func (t *Tape) tellParent(ctx context.Context, f forkEvent, e ending, begun bool) (first, last int64, err error) {
	parent, err := t.store.Tape(f.Parent)
	if err != nil {
		return 0, 0, err
	}
	since, ok := parseTime(f.CreatedAt, false)
	if begun || !ok {
		since = time.Time{} // the clock may have been set back
	}
	look := func(j *journal.Journal) (w written, err error) {
		if j != nil {
			if w, err = e.in(j, f.SessionID); err != nil || w.begun {
				return w, err
			}
		}
		return parent.archivedEnding(e, f.SessionID, since)
	}
	done, err := t.store.oneAtATime(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer done()
	var unread error
	e.more = noting(e.more, &unread)
	for {
		j, release, err := t.store.journal(parent.path)
		if errors.Is(err, fs.ErrNotExist) {
			if w, err := look(nil); err != nil || w.all {
				return 0, 0, err
			}
			return 0, 0, fmt.Errorf("tape %s, from which %s was forked, is missing: %w", f.Parent, t.name, fs.ErrNotExist)
		}
		if err != nil {
			return 0, 0, err
		}
		first, last, err = parent.appendEnding(ctx, j, e, look)
		release()
		if unread != nil || !errors.Is(err, fs.ErrNotExist) { // else the parent was archived in this moment
			return first, last, err
		}
	}
}

// noting are entries whose error is kept: the fork may be gone, as the parent may.
func noting(entries iter.Seq2[Entry, error], failed *error) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for e, err := range entries {
			if *failed = err; !yield(e, err) {
				return
			}
		}
	}
}

// appendEnding appends the end of a fork in one write, or what a crash within
// that write has cut off. Of the entries no more is held than their lines.
func (t *Tape) appendEnding(ctx context.Context, j *journal.Journal, e ending, look func(*journal.Journal) (written, error)) (first, last int64, err error) {
	_, err = j.Append(ctx, journal.Any(), func(next uint64) (lines []journal.Line, err error) {
		w, err := look(j)
		if err != nil || w.all {
			return nil, err
		}
		if err := t.closed(j); err != nil {
			return nil, err
		}
		if next > mostID {
			return nil, t.noMoreIDs()
		}
		n := numbering{next, t.store.now()}
		add := func(e Entry) error {
			line, err := n.line(&e)
			lines = append(lines, journal.Line{Text: line})
			return err
		}
		torn, finished, err := t.tornEvent(j, next)
		ours := torn != nil && w.n > 0 && origin(torn) == w.last // it comes with the rest
		if err == nil && torn != nil && !finished && !ours {
			err = add(*torn)
		}
		if err == nil && !w.begun {
			err = add(e.event)
		}
		begin := n.next
		if err == nil {
			err = e.after(w.n, add)
		}
		if err == nil && n.next > begin {
			first, last = cmp.Or(w.first, int64(begin)), int64(n.next-1)
		}
		return lines, err
	})
	if err != nil {
		return 0, 0, err
	}
	return first, last, nil
}

// after adds all entries but the first n.
func (e ending) after(n int, add func(Entry) error) error {
	i := 0
	for more, err := range e.more {
		if err == nil && i >= n {
			err = add(more)
		}
		if err != nil {
			return err
		}
		i++
	}
	return nil
}

// closeFork writes the last entry of a fork, and returns those before it that
// are its own, to be released; begun tells that another call has begun the same.
func (t *Tape) closeFork(ctx context.Context, c closing) (f forkEvent, own ownEntries, begun bool, err error) {
	j, release, err := t.store.journal(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("tape %s: no such tape here: %w", t.name, fs.ErrNotExist)
	}
	if err != nil {
		return f, own, false, err
	}
	defer func() {
		if own.release = release; err != nil {
			release()
		}
	}()
	f, ok, err := forkOf(j)
	if err == nil && !ok || t.bare {
		err = invalid("tape %s is not a fork", t.name)
	}
	if err != nil {
		return f, own, false, err
	}
	c.Into = f.Parent
	if begun, err = t.closeAs(ctx, j, c); err != nil {
		return f, own, false, err
	}
	own, err = ownOf(j)
	return f, own, begun, err
}

// closeAs writes that the fork is over, unless the same was begun before.
func (t *Tape) closeAs(ctx context.Context, j *journal.Journal, c closing) (begun bool, err error) {
	event, err := newEvent(eventClosed, c)
	if err != nil {
		return false, err
	}
	_, err = t.appendAnyway(ctx, j, journal.Settled(), func(j *journal.Journal) ([]Entry, error) {
		was, ok, err := closingOf(j)
		switch begun = ok; {
		case err != nil || ok && was.As == c.As:
			return nil, err
		case ok:
			return nil, invalid("tape %s is already %s", t.name, was.As)
		}
		return []Entry{event}, nil
	})
	return begun, err
}
