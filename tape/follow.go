package tape

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"time"

	"handoff/internal/journal"
)

// FollowRequest says which entries are wanted, of those that are there and of
// those to come.
type FollowRequest struct {
	// Query chooses among both; its window and FromID say where to begin. The
	// end of a window, and a limit below 0, cannot be known.
	Query Query
	// Behind begins behind the entry that was read last, whatever the query
	// says of that. Where it was archived meanwhile, by a reset, the rest of
	// the archive comes first. One that nobody knows any more begins the tape.
	Behind Mark
	// Reset is told when a new tape begins, whose ids begin at 1 again; it may
	// be nil.
	Reset func()
}

// Follow goes through the entries of a tape and waits for more at the end,
// until ctx is done: the last thing that it gives is the error that ended it,
// unless a limit did. A reset does not end it: what the archive has of the old
// tape comes before the new one. Only what was destroyed is lost. A fork that
// is merged or discarded ends, as fs.ErrNotExist, behind its last entry.
//
// It never makes a writer wait, and reads at the pace of its caller.
func (t *Tape) Follow(ctx context.Context, r FollowRequest) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		q := r.Query
		c, err := q.choice()
		if q.Window.mode == betweenNamed || q.Limit != nil && *q.Limit < 0 {
			err = invalid("a range with an end cannot be followed: leave out the second anchor, and a limit below 0")
		}
		if err != nil {
			yield(Entry{}, err)
			return
		}
		c.begun = c.begun || r.Behind != Mark{}
		f := following{tape: t, ctx: ctx, choice: c, last: r.Behind, reset: r.Reset}
		limited(f.all, func() func(*Entry) bool { return f.choice.has }, q.Limit, yield)
	}
}

// following is how far someone has come that follows.
type following struct {
	tape   *Tape
	ctx    context.Context
	choice choice
	reset  func()
	yield  func(Entry, error) bool
	last   Mark // of the entry of the tape's own that was read last
}

// errEnough: the caller wants no more.
var errEnough = errors.New("enough")

// all goes through what is there, and what comes.
func (f *following) all(yield func(Entry, error) bool) {
	f.yield = yield
	err := f.borrowed()
	for err == nil {
		err = f.file(f.tape.path, true)
		switch {
		case errors.Is(err, journal.ErrChanged):
			err = nil // to look what is there now
		case errors.Is(err, errElsewhere), errors.Is(err, fs.ErrNotExist):
			err = f.renewed()
		}
	}
	if err != errEnough {
		yield(Entry{}, err)
	}
}

// borrowed goes through the entries that a linked fork has of others, and
// finds where to begin in its own.
func (f *following) borrowed() error {
	v, err := f.tape.view()
	if err != nil {
		return err
	}
	defer v.close()
	if v.own() == nil && f.last == (Mark{}) {
		return f.tape.missing()
	}
	after, err := f.begin(v)
	if errors.Is(err, errElsewhere) {
		return nil // it will be looked for in the archive
	}
	if err != nil {
		return err
	}
	own := len(v.segments) - 1
	for e, err := range v.between(after, &spot{segment: own}) {
		if err != nil {
			return err
		}
		if !f.yield(e, nil) {
			return errEnough
		}
	}
	switch {
	case after == nil || after.segment < own:
		f.last = Mark{}
	case f.last == (Mark{}):
		f.last, err = v.mark(*after)
	}
	return err
}

func (f *following) begin(v *view) (after *spot, err error) {
	if f.last != (Mark{}) {
		return v.marked(f.last)
	}
	after, _, err = v.begin(f.choice.query)
	return after, err
}

// file goes through a file from behind the last entry on. If it is to be
// followed it does not end but with an error.
func (f *following) file(path string, follow bool) error {
	j, release, err := f.tape.store.journal(path)
	if err != nil {
		return err
	}
	defer release()
	known, rest := journal.Record{Pos: lineFormat.First - 1}, []Entry(nil)
	if f.last != (Mark{}) {
		known, rest, err = f.last.in(j)
	}
	if err == nil {
		err = f.pass(rest)
	}
	if err != nil {
		return err
	}
	records := j.Since(known.Pos + 1)
	switch {
	case follow && f.last == (Mark{}):
		records = j.Follow(f.ctx, lineFormat.First)
	case follow:
		records = j.FollowBehind(f.ctx, known)
	}
	for rec, err := range records {
		var entries []Entry
		if err == nil {
			entries, err = entriesOf(rec)
		}
		if err == nil {
			err = f.pass(entries)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *following) pass(entries []Entry) error {
	for _, e := range entries {
		if f.last = e.Mark(); !f.yield(e, nil) {
			return errEnough
		}
	}
	return nil
}

// renewed is for a tape whose file is no longer that which was read: it goes
// through what the archive has of it, and of those that were begun and put away
// since, and begins with the file that is there now.
func (f *following) renewed() error {
	// First, as it says which was put away before it, and is found again if it
	// is put away itself in this moment.
	now, err := f.tape.store.opening(f.tape.path)
	for f.tape.bare && errors.Is(err, fs.ErrNotExist) {
		now, err = f.wait()
	}
	missing := errors.Is(err, fs.ErrNotExist)
	if err == nil || missing {
		err = f.archived(now)
	}
	switch {
	case err != nil:
		return err
	case missing:
		return f.tape.missing()
	}
	f.anew()
	if len(now) > 0 {
		err = f.pass(now[0])
	}
	return err
}

// wait is opening, a moment later: Bub takes the file away before it begins
// another.
func (f *following) wait() ([][]Entry, error) {
	select {
	case <-time.After(50 * time.Millisecond):
		return f.tape.store.opening(f.tape.path)
	case <-f.ctx.Done():
		return nil, f.ctx.Err()
	}
}

// archived goes through what was put away since the last entry was read, up to
// the file that begins with the given lines.
func (f *following) archived(now [][]Entry) error {
	if f.tape.bare || f.last == (Mark{}) {
		return nil
	}
	since, err := f.tape.store.since(f.tape, f.last, now)
	for i, path := range since {
		if err != nil {
			break
		}
		if i > 0 {
			f.anew()
		}
		if err = f.file(path, false); errors.Is(err, fs.ErrNotExist) {
			err = nil // taken away by hand
		}
	}
	return err
}

// anew goes over to another file, in which ids begin at 1 again.
func (f *following) anew() {
	f.last = Mark{}
	if f.choice.begun = true; f.reset != nil {
		f.reset()
	}
}

// missing is the error for a tape that is not there.
func (t *Tape) missing() error {
	return fmt.Errorf("tape %s: no such tape here: %w", t.name, fs.ErrNotExist)
}
