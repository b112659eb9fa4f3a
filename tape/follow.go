package tape

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"handoff/internal/journal"
)

// Position is where the entry's line stands in its file, from 1: lines that
// could not be read are not counted. It is the same as the id on a tape that
// only this package has written to. 0 if the entry was not read.
func (e Entry) Position() uint64 { return e.at.pos }

// Follow goes through the entries of the tape itself from a position on, and
// waits for more at the end until ctx is done: the last thing that it gives is
// the error that ended it, journal.ErrChanged if the tape was reset. It never
// makes a writer wait.
func (t *Tape) Follow(ctx context.Context, from uint64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		j, release, err := t.store.journal(t.path)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("tape %s: there is no such tape here: %w", t.name, fs.ErrNotExist)
		}
		if err != nil {
			yield(Entry{}, err)
			return
		}
		defer release()
		for rec, err := range j.Follow(ctx, max(from, lineFormat.First)) {
			if !eachOf(rec, err, yield) {
				return
			}
		}
	}
}

// eachOf gives the entries of a line.
func eachOf(rec journal.Record, err error, yield func(Entry, error) bool) bool {
	var entries []Entry
	if err == nil {
		entries, err = entriesOf(rec)
	}
	if err != nil {
		return yield(Entry{}, err) && false
	}
	for _, e := range entries {
		if !yield(e, nil) {
			return false
		}
	}
	return true
}
