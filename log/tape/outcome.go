package tape

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"handoff/internal/journal"
	"handoff/log/tape/entry"
	"handoff/log/tape/lineage"
)

// errNoParent is fs.ErrNotExist.
var errNoParent = fmt.Errorf("create that tape, or discard the fork: %w", fs.ErrNotExist)

func (t *Tape) noParent(f lineage.Event) error {
	return fmt.Errorf("tape %s, from which %s was forked, is missing: %w", f.Parent, t.name, errNoParent)
}

// writeOutcome writes an outcome to the parent, unless the parent or one of its
// archives has it, and returns the ids of the first and the last copy, 0 if
// there are none. repeated reports that an earlier call has started to write it.
func (t *Tape) writeOutcome(ctx context.Context, f lineage.Event, o lineage.Outcome, repeated bool) (first, last int64, err error) {
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
	copies := o.Copies
	o.Copies = func(yield func(Entry, error) bool) {
		for e, err := range copies {
			if unreadable = err; !yield(e, err) {
				return
			}
		}
	}
	for {
		here, err := parent.fixed(ctx)
		if err != nil {
			return 0, 0, err
		}
		j, release, err := t.store.journal(ctx, here.path)
		if errors.Is(err, fs.ErrNotExist) {
			archived, err := parent.archivedOutcome(o, since)
			if err == nil && !archived {
				err = t.noParent(f)
			}
			return 0, 0, err
		}
		if err != nil {
			return 0, 0, err
		}
		first, last, err = here.appendOutcome(ctx, j, o, since)
		release()
		if unreadable == nil && errors.Is(err, errSealed) {
			if moved, err := parent.movedOn(ctx, here.path, err); !moved {
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
func (t *Tape) appendOutcome(ctx context.Context, j *journal.Journal, o lineage.Outcome, since time.Time) (first, last int64, err error) {
	for more := true; more && err == nil; {
		first, last, more, err = t.appendPart(ctx, j, o, since)
	}
	return first, last, err
}

// appendPart appends as much of an outcome as one write may have, and reports whether
// there is more. Only the lines of that are held in memory.
func (t *Tape) appendPart(ctx context.Context, j *journal.Journal, o lineage.Outcome, since time.Time) (first, last int64, more bool, err error) {
	_, err = j.Append(ctx, journal.Any(), func(next uint64) (lines []journal.Line, err error) {
		w, err := o.In(j)
		defer w.Stop()
		if err != nil {
			return nil, err
		}
		if !w.Found {
			if archived, err := t.archivedOutcome(o, since); err != nil || archived {
				return nil, err
			}
		}
		if w.Complete() {
			return nil, nil
		}
		if err := t.closed(j); err != nil {
			return nil, err
		}
		n, size := t.numbering(next), 0
		add := func(e Entry) error {
			line, err := n.Line(&e)
			lines, size = append(lines, journal.Line{Text: line}), size+len(line)
			return err
		}
		lost, done, err := t.lostEvent(j, next)
		if err == nil && lost != nil && !done {
			err = add(*lost)
		}
		if err == nil && !w.Found {
			var event Entry
			if event, err = entry.NewEvent(o.Name, o.Event); err == nil {
				err = add(event)
			}
		}
		begin := n.Next
		for err == nil && w.More && size < outcomeWrite {
			if err = w.Err; err == nil {
				err = add(w.Missing)
			}
			w.Next()
		}
		if err == nil && n.Next > begin {
			first, last = cmp.Or(w.First, int64(begin)), int64(n.Next-1)
		}
		more = w.More
		return lines, err
	})
	if err != nil {
		return 0, 0, false, err
	}
	return first, last, more, nil
}

// archivedOutcome reports whether an archive of the tape since then has all of
// an outcome. Archives are not appended to: if part of it was lost there, all of
// it is written to the tape.
func (t *Tape) archivedOutcome(o lineage.Outcome, since time.Time) (bool, error) {
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
		w, err := o.In(snap)
		w.Stop()
		if err != nil || w.Complete() {
			return err == nil, err
		}
	}
	return false, nil
}
