package tape

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"math"
	"time"

	"handoff/internal/journal"
	"handoff/log/tape/entry"
	"handoff/log/tape/lineage"
	"handoff/log/tape/view"
)

// FollowRequest selects entries, of those on the tape and those to come.
type FollowRequest struct {
	// Query selects them; its window and FromID are where to start. A window with
	// an end and a negative limit are not allowed.
	Query Query
	// After starts after the last entry that was read, and overrides the query. If
	// that was archived by a reset since, the rest of the archive comes first. An
	// unknown cursor is the start of the tape.
	After Cursor
	// Reset, if not nil, is called when a new tape starts, whose ids start at 1.
	Reset func()
}

// Follow goes through the entries of a tape, and waits for more at the end until
// ctx is done. The last item is the error that ended it, unless a limit did. When
// the tape is reset, the rest of the old tape comes before the new one; only
// entries that were destroyed are lost. A fork that is merged or discarded ends
// with fs.ErrNotExist after its last entry.
//
// It never blocks a writer, and reads at the pace of its caller.
func (t *Tape) Follow(ctx context.Context, r FollowRequest) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		limit := math.MaxInt
		if r.Query.Limit != nil {
			limit = *r.Query.Limit
		}
		filter, err := r.Query.Filter()
		if r.Query.Window.HasEnd() || limit < 0 {
			err = entry.Invalid("a range with an end cannot be followed: leave out the second anchor, and a limit below 0")
		}
		if err != nil {
			yield(Entry{}, err)
			return
		}
		filter.Started = filter.Started || r.After != Cursor{}
		f := follower{tape: t, ctx: ctx, query: r.Query, filter: filter, last: r.After, reset: r.Reset}
		view.Take(f.all, func(e *Entry) bool { return f.filter.Has(e) }, limit, yield)
	}
}

// follower is how far a [Tape.Follow] has come.
type follower struct {
	tape   *Tape
	ctx    context.Context
	query  Query
	filter view.Filter
	reset  func()
	yield  func(Entry, error) bool
	last   Cursor // of the last entry that was read from the tape's own file
}

// errEnough: the caller needs no more.
var errEnough = errors.New("enough")

// all goes through the entries that exist, and those to come.
func (f *follower) all(yield func(Entry, error) bool) {
	f.yield = yield
	err := f.start()
	for err == nil {
		err = f.file(f.tape.at(), true)
		switch {
		case errors.Is(err, errElsewhere) && f.waits():
			err = f.ctx.Err()
		case errors.Is(err, journal.ErrChanged):
			err = nil // look at what the file is now
		case errors.Is(err, errElsewhere), errors.Is(err, fs.ErrNotExist):
			err = f.replaced()
		}
	}
	if err != errEnough {
		yield(Entry{}, err)
	}
}

// start goes through the entries that exist, also those that a linked fork has
// from other tapes, so that only the tape's own file has to be followed.
func (f *follower) start() error {
	v, release, err := f.tape.view()
	if err != nil {
		return err
	}
	defer release()
	if v.Own() == nil && f.last == (Cursor{}) {
		return f.tape.missing()
	}
	part := view.All()
	if f.last == (Cursor{}) {
		part, err = v.Start(f.query)
	} else {
		part.From, err = locate(v, f.last)
	}
	if errors.Is(err, errElsewhere) {
		return nil // it is searched for in the archives
	}
	if err != nil {
		return err
	}
	for e, err := range v.Entries(part) {
		if err != nil {
			return err
		}
		if _, sealed := lineage.SealIn(&e); !sealed && !f.yield(e, nil) {
			return errEnough
		}
	}
	f.last = Cursor{}
	if own := v.Own(); own.Last >= own.First {
		var entries []Entry
		if entries, err = view.EntriesAt(own.Records, own.Last); err == nil {
			f.last = entries[len(entries)-1].Cursor()
		}
	}
	return err
}

// file goes through a file from the last entry on. With follow it only ends with
// an error.
func (f *follower) file(path string, follow bool) error {
	j, release, err := f.tape.store.journal(f.ctx, path)
	if err != nil {
		return err
	}
	defer release()
	known, rest := journal.Record{Pos: view.Format.First - 1}, []Entry(nil)
	if f.last != (Cursor{}) {
		known, rest, err = find(j, f.last)
	}
	if err == nil {
		err = f.pass(rest)
	}
	if err != nil {
		return err
	}
	records := j.Since(known.Pos + 1)
	switch {
	case follow && f.last == (Cursor{}):
		records = j.Follow(f.ctx, view.Format.First)
	case follow:
		records = j.FollowAfter(f.ctx, known)
	}
	for rec, err := range records {
		var entries []Entry
		if err == nil {
			entries, err = view.EntriesOf(rec)
		}
		if err == nil {
			err = f.pass(entries)
		}
		if err != nil {
			return err
		}
		if _, sealed := lineage.SealIn(&entries[len(entries)-1]); follow && sealed && !f.tape.bare {
			return errElsewhere
		}
	}
	return nil
}

// pass yields entries, but no seal: it is the end of a file, not of the tape.
func (f *follower) pass(entries []Entry) error {
	for _, e := range entries {
		f.last = e.Cursor()
		if _, sealed := lineage.SealIn(&e); !sealed && !f.yield(e, nil) {
			return errEnough
		}
	}
	return nil
}

// waits handles a tape whose next generation can neither be read nor begun, for example
// because the store cannot be reached: it waits before the next attempt.
func (f *follower) waits() bool {
	if _, err := f.tape.live(f.ctx); err == nil {
		return false
	}
	select {
	case <-f.ctx.Done():
	case <-time.After(sealedPause):
	}
	return true
}

// sealedPause is the time between two attempts to begin the generation after a reset.
const sealedPause = 250 * time.Millisecond

// replaced handles a tape whose file was replaced since it was read: it yields
// the rest of that file from its archive, then the archives of later tapes, and
// starts with the present file.
func (f *follower) replaced() error {
	// Read first: it names the archive before it, and is found again if it is
	// archived itself at this moment.
	present, err := f.tape.store.firstLines(f.tape.at())
	for f.tape.bare && errors.Is(err, fs.ErrNotExist) && f.ctx.Err() == nil {
		// Bub removes the file before it creates the next one.
		select {
		case <-time.After(50 * time.Millisecond):
		case <-f.ctx.Done():
			return f.ctx.Err()
		}
		present, err = f.tape.store.firstLines(f.tape.at())
	}
	missing, past := errors.Is(err, fs.ErrNotExist), false
	if err == nil || missing {
		past, err = f.archives(present)
	}
	switch {
	case err != nil || past:
		return err // if past, the caller finds that the file is another one again
	case missing:
		return f.tape.missing()
	}
	f.restart()
	if len(present) > 0 {
		err = f.pass(present[0])
	}
	return err
}

// archives yields what was archived since the last entry was read. past reports
// that this included the file that started with the given lines.
func (f *follower) archives(present [][]Entry) (past bool, err error) {
	if f.tape.bare || f.last == (Cursor{}) {
		return false, nil
	}
	paths, past, err := f.tape.archivesSince(f.last, present)
	for i, path := range paths {
		if err != nil {
			break
		}
		if i > 0 {
			f.restart()
		}
		if err = f.file(path, false); errors.Is(err, fs.ErrNotExist) {
			err = nil // removed by hand
		}
	}
	return past, err
}

// restart continues with another file, in which ids start at 1 again.
func (f *follower) restart() {
	f.last = Cursor{}
	if f.filter.Started = true; f.reset != nil {
		f.reset()
	}
}

// errElsewhere: the entry of a cursor is not in this file.
var errElsewhere = errors.New("the entry is in another file")

// find is the line of a cursor in a file, and the entries after the cursor's on
// that line.
func find(r view.Records, c Cursor) (rec journal.Record, rest []Entry, err error) {
	rec, err = r.Get(c.Pos)
	if errors.Is(err, journal.ErrNoRecord) {
		err = errElsewhere
	}
	var entries []Entry
	if err == nil {
		entries, err = view.EntriesOf(rec)
	}
	if err != nil {
		return rec, nil, err
	}
	if c.Part >= len(entries) || entries[c.Part].Cursor() != c {
		return rec, nil, errElsewhere
	}
	return rec, entries[c.Part+1:], nil
}

// locate is the position after the entry of a cursor.
func locate(v *view.View, c Cursor) (view.Spot, error) {
	for i, seg := range v.Segments {
		if c.Pos < seg.First || c.Pos > seg.Last {
			continue
		}
		if _, _, err := find(seg.Records, c); !errors.Is(err, errElsewhere) {
			return view.Spot{Segment: i, Place: c.Place}.Next(), err
		}
	}
	return view.Spot{}, errElsewhere
}
