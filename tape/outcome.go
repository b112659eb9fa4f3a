package tape

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"time"

	"handoff/internal/journal"
	"handoff/tape/entry"
	"handoff/tape/view"
)

// outcome is what the parent gets when a fork ends: an event, and copies of the
// fork's entries.
type outcome struct {
	name   string // of the event
	event  mergeEvent
	copies iter.Seq2[Entry, error]
}

// writeOutcome writes an outcome to the parent, unless the parent or one of its
// archives has it, and returns the ids of the first and the last copy, 0 if
// there are none. repeated reports that another call has started to write it.
func (t *Tape) writeOutcome(ctx context.Context, f forkEvent, o outcome, repeated bool) (first, last int64, err error) {
	parent, err := t.store.Tape(f.Parent)
	if err != nil {
		return 0, 0, err
	}
	since, ok := entry.ParseTime(f.CreatedAt, false)
	if repeated || !ok {
		since = time.Time{} // the clock may have been set back
	}
	done, err := t.store.oneAtATime(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer done()
	var unreadable error // of the fork, which may be missing, as the parent may
	copies := o.copies
	o.copies = func(yield func(Entry, error) bool) {
		for e, err := range copies {
			if unreadable = err; !yield(e, err) {
				return
			}
		}
	}
	for {
		here, err := parent.fixed()
		if err != nil {
			return 0, 0, err
		}
		j, release, err := t.store.journal(here.path)
		if errors.Is(err, fs.ErrNotExist) {
			archived, err := parent.archivedOutcome(o, since)
			if err == nil && !archived {
				err = fmt.Errorf("tape %s, from which %s was forked, is missing: %w", f.Parent, t.name, fs.ErrNotExist)
			}
			return 0, 0, err
		}
		if err != nil {
			return 0, 0, err
		}
		first, last, err = here.appendOutcome(ctx, j, o, since)
		release()
		if unreadable == nil && errors.Is(err, errSealed) {
			if moved, err := parent.movedOn(here.path, err); !moved {
				return 0, 0, err
			}
			continue
		}
		if unreadable != nil || !errors.Is(err, fs.ErrNotExist) { // else the parent was archived at this moment
			return first, last, err
		}
	}
}

// outcomeWrite bounds the lines of one write of an outcome, in bytes: a store takes 64 MiB at
// once, or a thousand messages.
const outcomeWrite = 4 << 20

// appendOutcome appends an outcome in one write, or in several if it is larger
// than [outcomeWrite]; or the part of it that an interrupted write has lost.
func (t *Tape) appendOutcome(ctx context.Context, j *journal.Journal, o outcome, since time.Time) (first, last int64, err error) {
	for more := true; more && err == nil; {
		first, last, more, err = t.appendPart(ctx, j, o, since)
	}
	return first, last, err
}

// appendPart appends as much of an outcome as one write may have, and reports whether
// there is more. Only the lines of that are held in memory.
func (t *Tape) appendPart(ctx context.Context, j *journal.Journal, o outcome, since time.Time) (first, last int64, more bool, err error) {
	_, err = j.Append(ctx, journal.Any(), func(next uint64) (lines []journal.Line, err error) {
		w, err := o.in(j)
		defer w.stop()
		if err != nil {
			return nil, err
		}
		if !w.found {
			if archived, err := t.archivedOutcome(o, since); err != nil || archived {
				return nil, err
			}
		}
		if w.complete() {
			return nil, nil
		}
		if err := t.closed(j); err != nil {
			return nil, err
		}
		n, size := t.numbering(next), 0
		add := func(e Entry) error {
			line, err := n.line(&e)
			lines, size = append(lines, journal.Line{Text: line}), size+len(line)
			return err
		}
		lost, done, err := t.lostEvent(j, next)
		if err == nil && lost != nil && !done {
			err = add(*lost)
		}
		if err == nil && !w.found {
			var event Entry
			if event, err = entry.NewEvent(o.name, o.event); err == nil {
				err = add(event)
			}
		}
		begin := n.next
		for err == nil && w.more && size < outcomeWrite {
			if err = w.err; err == nil {
				err = add(w.missing)
			}
			w.next()
		}
		if err == nil && n.next > begin {
			first, last = cmp.Or(w.first, int64(begin)), int64(n.next-1)
		}
		more = w.more
		return lines, err
	})
	if err != nil {
		return 0, 0, false, err
	}
	return first, last, more, nil
}

// written is how much of an outcome a file has, and the copies that are missing.
type written struct {
	found bool  // the event
	first int64 // the id of the first copy

	missing Entry // the first missing copy
	err     error // why it could not be read
	more    bool  // there is a missing copy
	pull    func() (Entry, error, bool)
	stop    func()
}

func (w *written) next()          { w.missing, w.err, w.more = w.pull() }
func (w *written) complete() bool { return w.found && !w.more }

// in finds an outcome in a file; stop it. Copies are recognized by their
// origins, which have the order of the copies; other entries may be between
// them.
func (o outcome) in(r view.Records) (w written, err error) {
	w.pull, w.stop = iter.Pull2(o.copies)
	w.next()
	positions, err := r.Find(view.MergeKey(o.event.Fork))
	if w.found = len(positions) > 0; err != nil || !w.found {
		return w, err
	}
	for entries, err := range view.Lines(r, positions[0]+1, math.MaxUint64) {
		for _, e := range entries {
			if origin := e.Origin(); w.more && w.err == nil && origin != "" && origin == w.missing.Origin() {
				w.first = cmp.Or(w.first, e.ID)
				w.next()
			}
		}
		if err = cmp.Or(err, w.err); err != nil || !w.more {
			return w, err
		}
	}
	return w, nil
}

// archivedOutcome reports whether an archive of the tape since then has all of
// an outcome. Archives are not appended to: if part of it was lost there, all of
// it is written to the tape.
func (t *Tape) archivedOutcome(o outcome, since time.Time) (bool, error) {
	paths, err := t.archives()
	var recent []string
	for _, path := range paths {
		if !archivedAt(t, path).Before(since.Truncate(time.Second)) {
			recent = append(recent, path)
		}
	}
	for snap, err := range t.store.snapshots(recent, err) {
		if err != nil {
			return false, err
		}
		w, err := o.in(snap)
		w.stop()
		if err != nil || w.complete() {
			return err == nil, err
		}
	}
	return false, nil
}
