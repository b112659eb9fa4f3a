package tape

import (
	"errors"
	"io/fs"
	"iter"

	"handoff/internal/journal"
)

// records are those of a file: a journal, or what it was when a view was made.
type records interface {
	Get(pos uint64) (journal.Record, error)
	Since(pos uint64) iter.Seq2[journal.Record, error]
	Find(key string) ([]uint64, error)
	Count(list string) (uint64, error)
	Nth(list string, k uint64) (uint64, bool, error)
	Passed() ([]journal.Passed, error)
}

// view is what a reader sees of a tape: all that was there when it was made,
// also when the tape is reset meanwhile. A linked fork goes on where parts of
// other tapes end. Close it.
type view struct {
	segments []segment
	release  []func()
}

// segment is a part of one file, from one position to another.
type segment struct {
	j           records
	source      string // the tape's name, "" for the tape itself
	first, last uint64
}

// spot is where an entry stands in a view.
type spot struct {
	segment int
	place
}

func (v *view) close() {
	for _, f := range v.release {
		f()
	}
}

// view of a tape without a file is empty.
func (t *Tape) view() (*view, error) {
	j, release, err := t.store.snapshot(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return &view{}, nil
	}
	if err != nil {
		return nil, err
	}
	v, err := t.viewOf(j, j.Len())
	v.release = append(v.release, release)
	if err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}

// viewOf is the view of the n records of the tape's file; also with an error it
// is to be closed.
func (t *Tape) viewOf(j records, n uint64) (v *view, err error) {
	v = &view{}
	if !t.bare {
		err = t.store.addLinked(v, j)
	}
	v.segments = append(v.segments, all(j, n))
	return v, err
}

// viewed asks the view of a tape that is locked for writing; it is not asked
// where the tape is not there yet.
func (t *Tape) viewed(j *journal.Journal, ask func(*view) error) error {
	if j == nil {
		return nil
	}
	n, err := j.Len()
	if err != nil {
		return err
	}
	v, err := t.viewOf(j, n)
	defer v.close()
	if err != nil {
		return err
	}
	return ask(v)
}

// all is a segment of the n records of a file.
func all(j records, n uint64) segment {
	return segment{j: j, first: lineFormat.First, last: lineFormat.First + n - 1}
}

// own is the segment of the tape itself, nil if it has no file.
func (v *view) own() *segment {
	if len(v.segments) == 0 {
		return nil
	}
	return &v.segments[len(v.segments)-1]
}

// before reports whether a stands before b.
func (a spot) before(b spot) bool {
	switch {
	case a.segment != b.segment:
		return a.segment < b.segment
	case a.pos != b.pos:
		return a.pos < b.pos
	}
	return a.part < b.part
}

// at are the entries of one line.
func (v *view) at(seg int, pos uint64) ([]Entry, error) {
	s := v.segments[seg]
	entries, err := entriesAt(s.j, pos)
	for i := range entries {
		entries[i].Source = s.source
	}
	return entries, err
}

// found is an entry and where it stands.
type found struct {
	Entry
	spot spot
}

// backwards goes through the entries on a list from the last one on. The list
// names lines: what on them does not fit is passed over.
func (v *view) backwards(list string, fits func(*Entry) bool) iter.Seq2[found, error] {
	return func(yield func(found, error) bool) {
		for seg := len(v.segments) - 1; seg >= 0; seg-- {
			n, err := v.segments[seg].upTo(list)
			for ; err == nil && n > 0; n-- {
				pos, ok, nthErr := v.segments[seg].j.Nth(list, n-1)
				if err = nthErr; err != nil || !ok || pos < v.segments[seg].first {
					break
				}
				if !v.each(seg, pos, fits, yield) {
					return
				}
			}
			if err != nil {
				yield(found{}, err)
				return
			}
		}
	}
}

// upTo is how many lines of the file are on a list and stand before the end of
// the segment. Of the tape itself that is all of them, but for what came since
// the view was made.
func (s *segment) upTo(list string) (uint64, error) {
	n, err := s.j.Count(list)
	if err != nil || n == 0 {
		return 0, err
	}
	pos, ok, err := s.j.Nth(list, n-1)
	if err != nil || ok && pos <= s.last {
		return n, err
	}
	before, err := s.rank(list, s.last+1, n)
	return uint64(before), err
}

// each gives the fitting entries of a line, the last first.
func (v *view) each(seg int, pos uint64, fits func(*Entry) bool, yield func(found, error) bool) bool {
	entries, err := v.at(seg, pos)
	if err != nil {
		return yield(found{}, err) && false
	}
	for i := len(entries) - 1; i >= 0; i-- {
		if e := entries[i]; fits(&e) && !yield(found{e, spot{seg, e.at}}, nil) {
			return false
		}
	}
	return true
}

// last is the last entry on a list that fits.
func (v *view) last(list string, fits func(*Entry) bool) (f found, ok bool, err error) {
	for f, err := range v.backwards(list, fits) {
		return f, err == nil, err
	}
	return found{}, false, nil
}

func isAnchor(e *Entry) bool { return e.Kind == KindAnchor }

func isAnchorNamed(name string) func(*Entry) bool {
	return func(e *Entry) bool { return e.Kind == KindAnchor && e.Name() == name }
}

func isEvent(name string) func(*Entry) bool {
	return func(e *Entry) bool { return e.Kind == KindEvent && e.Name() == name }
}

// lastWith is the last entry with a key that fits.
func (v *view) lastWith(key string, fits func(*Entry) bool) (f found, ok bool, err error) {
	for seg := len(v.segments) - 1; seg >= 0; seg-- {
		s := v.segments[seg]
		positions, err := s.j.Find(key)
		if err != nil {
			return found{}, false, err
		}
		for i := len(positions) - 1; i >= 0; i-- {
			if pos := positions[i]; pos < s.first || pos > s.last {
				continue
			}
			ok := false
			v.each(seg, positions[i], fits, func(e found, eachErr error) bool {
				f, err, ok = e, eachErr, true
				return false
			})
			if ok || err != nil {
				return f, err == nil, err
			}
		}
	}
	return found{}, false, nil
}

// firstWith is the first entry with a key that fits and stands behind a spot.
func (v *view) firstWith(key string, after spot, fits func(*Entry) bool) (f found, ok bool, err error) {
	for seg := after.segment; seg < len(v.segments); seg++ {
		s := v.segments[seg]
		positions, err := s.j.Find(key)
		if err != nil {
			return found{}, false, err
		}
		for _, pos := range positions {
			if pos < s.first || pos > s.last || seg == after.segment && pos < after.pos {
				continue
			}
			entries, err := v.at(seg, pos)
			if err != nil {
				return found{}, false, err
			}
			for _, e := range entries {
				if at := (spot{seg, e.at}); fits(&e) && after.before(at) {
					return found{e, at}, true, nil
				}
			}
		}
	}
	return found{}, false, nil
}

// between goes through the entries behind one spot and before another, both
// of which may be nil. An error ends it.
func (v *view) between(after, before *spot) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		seg, pos := 0, uint64(0)
		if after != nil {
			seg, pos = after.segment, after.pos
		}
		for ; seg < len(v.segments); seg, pos = seg+1, 0 {
			s := v.segments[seg]
			for rec, err := range s.j.Since(max(pos, s.first)) {
				if err == nil && (rec.Pos > s.last || before != nil && seg == before.segment && rec.Pos > before.pos) {
					break
				}
				var entries []Entry
				if err == nil {
					entries, err = entriesOf(rec)
				}
				if err != nil {
					yield(Entry{}, err)
					return
				}
				for _, e := range entries {
					at := spot{seg, e.at}
					if after != nil && !after.before(at) || before != nil && !at.before(*before) {
						continue
					}
					if e.Source = s.source; !yield(e, nil) {
						return
					}
				}
			}
			if before != nil && seg == before.segment {
				return
			}
		}
	}
}

// bytes is how long the lines are from one spot to another, both of which may be
// nil.
func (v *view) bytes(after, before *spot) (n int64, err error) {
	for i, s := range v.segments {
		first, last := s.first, s.last
		if after != nil && i == after.segment {
			first = after.pos
		}
		if before != nil && i == before.segment {
			last = before.pos
		}
		if after != nil && i < after.segment || before != nil && i > before.segment || last < first {
			continue
		}
		from, err := s.j.Get(first)
		if err != nil {
			return 0, err
		}
		to, err := s.j.Get(last)
		if err != nil {
			return 0, err
		}
		n += to.Offset + int64(len(to.Line)) - from.Offset
	}
	return n, nil
}

// from is between, with the entry at the first spot.
func (v *view) from(from, before *spot) iter.Seq2[Entry, error] {
	if from == nil {
		return v.between(nil, before)
	}
	return func(yield func(Entry, error) bool) {
		first, err := v.at(from.segment, from.pos)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		if !yield(first[from.part], nil) {
			return
		}
		v.between(from, before)(yield)
	}
}

// lastOn is the position of the last line on a list.
func lastOn(j records, list string) (pos uint64, ok bool, err error) {
	n, err := j.Count(list)
	if err != nil || n == 0 {
		return 0, false, err
	}
	return j.Nth(list, n-1) // quicker than to look for the last one before a place
}
