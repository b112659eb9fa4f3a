// Package view reads a tape as it is at one moment. It finds entries by anchor,
// id and date, cuts the slice that a model sees, and answers queries and
// searches. A fork that is linked to other tapes is one view of several files.
//
// It reads the records passed to it, and an index of them: see [Format]. It
// does not know stores, folders or locks, and writes nothing.
package view

import (
	"iter"
	"math"
	"slices"
	"sort"

	"handoff/internal/journal"
	"handoff/log/tape/entry"
)

// Records are the lines of a file with their index: a journal, or a snapshot of
// one.
type Records interface {
	Get(pos uint64) (journal.Record, error)
	Since(pos uint64) iter.Seq2[journal.Record, error]
	Find(key string) ([]uint64, error)
	Count(list string) (uint64, error)
	Nth(list string, k uint64) (uint64, bool, error)
	Passed() ([]journal.Passed, error)
}

// View is what a reader sees of a tape: its segments, one after the other. The
// last is the tape's own file, but for entries that wait for it.
type View struct{ Segments []Segment }

// Segment is a part of one file, from one line to another.
type Segment struct {
	Records     Records
	Tape        string // the other tape that it is of, "" for the tape itself
	First, Last uint64
	Waiting     bool // not on the tape yet: see [View.Wait]
}

// File is the segment of all n records of a tape's own file.
func File(r Records, n uint64) Segment {
	return Segment{Records: r, First: Format.First, Last: Format.First + n - 1}
}

// Own is the segment of the tape itself, nil if it has no file.
func (v *View) Own() *Segment {
	n := len(v.Segments)
	if n > 0 && v.Segments[n-1].Waiting {
		n--
	}
	if n == 0 {
		return nil
	}
	return &v.Segments[n-1]
}

// Spot is the position of an entry in a view.
type Spot struct {
	Segment int
	entry.Place
}

// Before reports whether a comes before b.
func (a Spot) Before(b Spot) bool {
	switch {
	case a.Segment != b.Segment:
		return a.Segment < b.Segment
	case a.Pos != b.Pos:
		return a.Pos < b.Pos
	}
	return a.Part < b.Part
}

// Next is the position right after the entry at a.
func (a Spot) Next() Spot {
	a.Part++
	return a
}

// Range is the entries from one position, included, to another, excluded.
type Range struct{ From, To Spot }

// All is the range of all entries.
func All() Range { return Range{To: Spot{Segment: math.MaxInt}} }

// Found is an entry and its position.
type Found struct {
	entry.Entry
	Spot Spot
}

// EntriesOf are the entries of one line.
func EntriesOf(rec journal.Record) ([]entry.Entry, error) {
	entries, err := entry.Parse(rec.Line)
	for i := range entries {
		entries[i].At.Pos = rec.Pos
	}
	return entries, err
}

// EntriesAt are the entries of the line at a position.
func EntriesAt(r Records, pos uint64) ([]entry.Entry, error) {
	rec, err := r.Get(pos)
	if err != nil {
		return nil, err
	}
	return EntriesOf(rec)
}

// Lines goes through the entries of the lines from first to last. An error ends
// it.
func Lines(r Records, first, last uint64) iter.Seq2[[]entry.Entry, error] {
	return func(yield func([]entry.Entry, error) bool) {
		for rec, err := range r.Since(first) {
			if err == nil && rec.Pos > last {
				return
			}
			var entries []entry.Entry
			if err == nil {
				entries, err = EntriesOf(rec)
			}
			if !yield(entries, err) || err != nil {
				return
			}
		}
	}
}

// Clip is the segments, by their index, with only the lines that have entries
// of the range.
func (v *View) Clip(r Range) iter.Seq2[int, Segment] {
	return func(yield func(int, Segment) bool) {
		for i, s := range v.Segments {
			if i == r.From.Segment {
				s.First = max(s.First, r.From.Pos)
			}
			if i == r.To.Segment {
				s.Last = min(s.Last, r.To.Pos)
				if r.To.Part == 0 && s.Last == r.To.Pos && s.Last > 0 {
					s.Last--
				}
			}
			if i >= r.From.Segment && i <= r.To.Segment && s.First <= s.Last && !yield(i, s) {
				return
			}
		}
	}
}

// Entries goes through the entries of a range. An error ends it.
func (v *View) Entries(r Range) iter.Seq2[entry.Entry, error] {
	return func(yield func(entry.Entry, error) bool) {
		for i, s := range v.Clip(r) {
			for entries, err := range Lines(s.Records, s.First, s.Last) {
				if err != nil {
					yield(entry.Entry{}, err)
					return
				}
				for _, e := range entries {
					at := Spot{i, e.At}
					if at.Before(r.From) || !at.Before(r.To) {
						continue
					}
					if e.Source = s.Tape; !yield(e, nil) {
						return
					}
				}
			}
		}
	}
}

// Bytes is the length of the lines of a range. It reads only the first and the
// last of them.
func (v *View) Bytes(r Range) (n int64, err error) {
	for _, s := range v.Clip(r) {
		from, err := s.Records.Get(s.First)
		if err != nil {
			return 0, err
		}
		to, err := s.Records.Get(s.Last)
		if err != nil {
			return 0, err
		}
		n += to.Offset + int64(len(to.Line)) - from.Offset
	}
	return n, nil
}

// blockLines is how many lines are read at once when going backwards.
const blockLines = 256

// FromEnd goes through all entries, the last first.
func (v *View) FromEnd() iter.Seq2[entry.Entry, error] {
	return func(yield func(entry.Entry, error) bool) {
		for seg, s := range slices.Backward(v.Segments) {
			for last := s.Last; last >= s.First; {
				first := max(s.First, last-min(last, blockLines-1))
				block, err := Collect(v.Entries(Range{Spot{seg, entry.Place{Pos: first}}, Spot{seg, entry.Place{Pos: last + 1}}}))
				if err != nil {
					yield(entry.Entry{}, err)
					return
				}
				for _, e := range slices.Backward(block) {
					if !yield(e, nil) {
						return
					}
				}
				last = first - 1
			}
		}
	}
}

// Newest returns the last entry, the zero value for none.
func (v *View) Newest() (last entry.Entry, err error) {
	for e, err := range v.FromEnd() {
		return e, err
	}
	return last, nil
}

// Collect is all entries at once.
func Collect(seq iter.Seq2[entry.Entry, error]) (entries []entry.Entry, err error) {
	for e, err := range seq {
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// line is the entries of one line that fit.
func (v *View) line(seg int, pos uint64, fits func(*entry.Entry) bool) (found []Found, err error) {
	s := v.Segments[seg]
	if pos < s.First || pos > s.Last {
		return nil, nil
	}
	entries, err := EntriesAt(s.Records, pos)
	for _, e := range entries {
		if e.Source = s.Tape; fits(&e) {
			found = append(found, Found{e, Spot{seg, e.At}})
		}
	}
	return found, err
}

// Backwards goes through the entries on a list, the last first. The list is of
// lines: entries on them that do not fit are left out.
func (v *View) Backwards(list string, fits func(*entry.Entry) bool) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		for seg, s := range slices.Backward(v.Segments) {
			n, err := s.listed(list, s.Last+1)
			for ; err == nil && n > 0; n-- {
				pos, ok, nthErr := s.Records.Nth(list, uint64(n-1))
				if err = nthErr; err != nil || !ok || pos < s.First {
					break
				}
				var found []Found
				found, err = v.line(seg, pos, fits)
				for _, f := range slices.Backward(found) {
					if !yield(f, nil) {
						return
					}
				}
			}
			if err != nil {
				yield(Found{}, err)
				return
			}
		}
	}
}

// listed is how many lines of the file are on a list and before a position.
func (s *Segment) listed(list string, pos uint64) (int, error) {
	n, err := s.Records.Count(list)
	if err != nil || n == 0 || pos <= Format.First {
		return 0, err
	}
	if last, ok, err := s.Records.Nth(list, n-1); err != nil || ok && last < pos {
		return int(n), err
	}
	k := sort.Search(int(n), func(k int) bool {
		at, ok, nthErr := s.Records.Nth(list, uint64(k))
		if err == nil {
			err = nthErr
		}
		return err != nil || !ok || at >= pos
	})
	return k, err
}

// Last is the last entry on a list that fits.
func (v *View) Last(list string, fits func(*entry.Entry) bool) (f Found, ok bool, err error) {
	for f, err := range v.Backwards(list, fits) {
		return f, err == nil, err
	}
	return Found{}, false, nil
}

// LastWith is the last entry with a key that fits.
func (v *View) LastWith(key string, fits func(*entry.Entry) bool) (f Found, ok bool, err error) {
	for seg, s := range slices.Backward(v.Segments) {
		positions, err := s.Records.Find(key)
		if err != nil {
			return Found{}, false, err
		}
		for _, pos := range slices.Backward(positions) {
			found, err := v.line(seg, pos, fits)
			if err != nil {
				return Found{}, false, err
			}
			if n := len(found); n > 0 {
				return found[n-1], true, nil
			}
		}
	}
	return Found{}, false, nil
}

// FirstWith is the first entry from a position on with a key that fits.
func (v *View) FirstWith(key string, from Spot, fits func(*entry.Entry) bool) (f Found, ok bool, err error) {
	for seg := from.Segment; seg < len(v.Segments); seg++ {
		positions, err := v.Segments[seg].Records.Find(key)
		if err != nil {
			return Found{}, false, err
		}
		for _, pos := range positions {
			if seg == from.Segment && pos < from.Pos {
				continue
			}
			found, err := v.line(seg, pos, fits)
			if err != nil {
				return Found{}, false, err
			}
			for _, f := range found {
				if !f.Spot.Before(from) {
					return f, true, nil
				}
			}
		}
	}
	return Found{}, false, nil
}

// LastEvent is the last event on a list of a file.
func LastEvent(r Records, list, name string) (e entry.Entry, ok bool, err error) {
	n, err := r.Count(list)
	if err != nil || n == 0 {
		return entry.Entry{}, false, err
	}
	pos, ok, err := r.Nth(list, n-1)
	if err != nil || !ok {
		return entry.Entry{}, false, err
	}
	entries, err := EntriesAt(r, pos)
	i := slices.IndexFunc(entries, func(e entry.Entry) bool { return entry.IsEvent(name)(&e) })
	if err != nil || i < 0 {
		return entry.Entry{}, false, err
	}
	return entries[i], true, nil
}

// Unreadable are the lines of the tape's file that could not be read, from 1.
func (v *View) Unreadable() (lines []int64, err error) {
	own := v.Own()
	if own == nil {
		return nil, nil
	}
	passed, err := own.Records.Passed()
	for _, p := range passed {
		lines = append(lines, p.Line)
	}
	return lines, err
}
