package view

import (
	"iter"
	"slices"
	"time"

	"handoff/internal/journal"
	"handoff/log/tape/entry"
)

// waiting is lines that are on no tape yet, with their facts: there are few.
type waiting struct {
	records []journal.Record
	facts   []journal.Facts
}

// Append is an append that waits for a tape.
type Append struct {
	Key     string // that it will have on the tape
	At      time.Time
	Entries []entry.Entry
}

// Wait adds what waits for the tape after its own entries, without what it has by now.
func (v *View) Wait(appends []Append) error {
	own := v.Own()
	var w waiting
	offset := int64(0)
	for _, a := range appends {
		if own != nil {
			at, err := own.Records.Find(RequestKey(a.Key))
			if err != nil {
				return err
			}
			if len(at) > 0 {
				continue
			}
		}
		for _, e := range a.Entries {
			line, err := e.Waiting(a.At)
			if err != nil {
				return err
			}
			f, err := Format.Read(line)
			if err != nil {
				return err
			}
			w.records = append(w.records, journal.Record{Pos: Format.First + uint64(len(w.records)), Offset: offset, Line: line})
			w.facts = append(w.facts, f)
			offset += int64(len(line)) + 1
		}
	}
	if len(w.records) > 0 {
		v.Segments = append(v.Segments, Segment{Records: w, First: Format.First, Last: Format.First + uint64(len(w.records)) - 1, Waiting: true})
	}
	return nil
}

func (w waiting) Get(pos uint64) (journal.Record, error) {
	if pos < Format.First || pos-Format.First >= uint64(len(w.records)) {
		return journal.Record{}, journal.ErrNoRecord
	}
	return w.records[pos-Format.First], nil
}

func (w waiting) Since(pos uint64) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		for _, r := range w.records {
			if r.Pos >= pos && !yield(r, nil) {
				return
			}
		}
	}
}

// Find finds no entry by its id: they have none yet.
func (w waiting) Find(key string) (positions []uint64, err error) {
	return w.where(func(f journal.Facts) bool { return key != IDKey(0) && slices.Contains(f.Keys, key) }), nil
}

func (w waiting) Count(list string) (uint64, error) { return uint64(len(w.on(list))), nil }

func (w waiting) Nth(list string, k uint64) (pos uint64, ok bool, err error) {
	if on := w.on(list); k < uint64(len(on)) {
		return on[k], true, nil
	}
	return 0, false, nil
}

func (w waiting) Passed() ([]journal.Passed, error) { return nil, nil }

func (w waiting) on(list string) []uint64 {
	return w.where(func(f journal.Facts) bool { return slices.Contains(f.Lists, list) })
}

func (w waiting) where(fits func(journal.Facts) bool) (positions []uint64) {
	for i, f := range w.facts {
		if fits(f) {
			positions = append(positions, w.records[i].Pos)
		}
	}
	return positions
}
