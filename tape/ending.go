package tape

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"handoff/internal/journal"
)

// tellParent writes the end of a fork to its parent, if that does not know of
// it yet. The parent may have been reset since it was told, or be over itself:
// then an archive knows. begun tells that the end was begun by another call.
func (t *Tape) tellParent(ctx context.Context, f forkEvent, entries []Entry, begun bool) ([]Entry, error) {
	parent, err := t.store.Tape(f.Parent)
	if err != nil {
		return nil, err
	}
	since, ok := parseTime(f.CreatedAt, false)
	if begun || !ok {
		since = time.Time{} // the clock may have been set back
	}
	told := func(j *journal.Journal) (bool, error) {
		if j != nil {
			if done, err := knowsEnd(j, f.SessionID); err != nil || done {
				return done, err
			}
		}
		return parent.archiveKnows(f.SessionID, since)
	}
	if there, err := parent.Exists(); err != nil {
		return nil, err
	} else if !there {
		done, err := told(nil)
		if err == nil && !done {
			err = fmt.Errorf("tape %s, from which %s was forked, is not there: %w", f.Parent, t.name, fs.ErrNotExist)
		}
		return nil, err
	}
	return parent.decide(ctx, func(j *journal.Journal) ([]Entry, error) {
		if done, err := told(j); err != nil || done {
			return nil, err
		}
		return entries, nil
	})
}

// knowsEnd reports whether a file has the end of a fork.
func knowsEnd(j records, session string) (bool, error) {
	positions, err := j.Find(mergeKey(session))
	return len(positions) > 0, err
}

// archiveKnows reports whether a file of the tape that was archived since then
// has the end of a fork.
func (t *Tape) archiveKnows(session string, since time.Time) (bool, error) {
	paths, _, err := t.store.archivesOf(t)
	if err != nil {
		return false, err
	}
	for _, path := range paths {
		if archivedAt(t, path).Before(since.Truncate(time.Second)) {
			continue
		}
		j, release, err := t.store.journal(path)
		if err != nil {
			return false, err
		}
		done, err := knowsEnd(j, session)
		release()
		if err != nil || done {
			return done, err
		}
	}
	return false, nil
}

// closeFork writes the last entry of a fork, and returns those before it that
// are its own; begun tells that another call has begun the same.
func (t *Tape) closeFork(ctx context.Context, c closing) (f forkEvent, own []Entry, begun bool, err error) {
	j, release, err := t.store.journal(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("tape %s: there is no such tape here: %w", t.name, fs.ErrNotExist)
	}
	if err != nil {
		return f, nil, false, err
	}
	defer release()
	f, ok, err := forkOf(j)
	if err == nil && !ok || t.bare {
		err = invalid("tape %s is no fork", t.name)
	}
	if err != nil {
		return f, nil, false, err
	}
	c.Into = f.Parent
	if begun, err = t.closeAs(ctx, j, c); err != nil {
		return f, nil, false, err
	}
	own, err = ownEntries(j)
	return f, own, begun, err
}

// closeAs writes that the fork is over, unless the same was begun before.
func (t *Tape) closeAs(ctx context.Context, j *journal.Journal, c closing) (begun bool, err error) {
	event, err := newEvent(eventClosed, c)
	if err != nil {
		return false, err
	}
	done, err := t.store.oneAtATime(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	_, err = t.appendAnyway(ctx, j, journal.Any(), func(j *journal.Journal) ([]Entry, error) {
		was, ok, err := closingOf(j)
		switch begun = ok; {
		case err != nil || ok && was.As == c.As:
			return nil, err
		case ok:
			return nil, invalid("tape %s is %s already", t.name, was.As)
		}
		return []Entry{event}, nil
	})
	return begun, err
}
