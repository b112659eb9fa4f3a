package journal

import (
	"fmt"
	"iter"
	"math"
)

// Len is the number of records: their positions begin at [Format.First].
func (j *Journal) Len() (uint64, error) {
	x := &j.index
	x.mu.Lock()
	defer x.mu.Unlock()
	err := x.catchUp()
	return x.seen.records, err
}

// Get returns one record, or [ErrNoRecord].
func (j *Journal) Get(pos uint64) (Record, error) {
	var rec Record
	found := false
	for r, err := range j.from(pos, 1) {
		if err != nil {
			return Record{}, err
		}
		rec, found = r, true
	}
	if !found {
		return Record{}, fmt.Errorf("%s: record %d: %w", j.path, pos, ErrNoRecord)
	}
	return rec, nil
}

// Last returns the last record, ok false if there is none.
func (j *Journal) Last() (rec Record, ok bool, err error) {
	for r, err := range j.Tail(1) {
		if err != nil {
			return Record{}, false, err
		}
		rec, ok = r, true
	}
	return rec, ok, nil
}

// Tail goes through the last n records, or as many as there are.
func (j *Journal) Tail(n uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		count, err := j.Len()
		if err != nil {
			yield(Record{}, err)
			return
		}
		j.from(j.format.First+count-min(n, count), n)(yield)
	}
}

// Since goes through the records from a position on, up to the last one that
// is there when it begins. Damage ends it with an error, after all that comes
// before the damage.
func (j *Journal) Since(pos uint64) iter.Seq2[Record, error] { return j.from(pos, math.MaxUint64) }

// from goes through at most n records from a position on.
func (j *Journal) from(pos, n uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		w, err := j.walkAt(pos, n)
		if err != nil {
			yield(Record{}, err)
			return
		}
		for left := n; w != nil && left > 0; left-- {
			s, ok, err := w.read()
			if err != nil {
				yield(Record{}, err)
				return
			}
			if !ok || !yield(s.record(), nil) || s.fragment {
				return
			}
		}
	}
}

// walkAt begins a walk at a position, to read n records; nil if the journal
// ends before it.
func (j *Journal) walkAt(pos, n uint64) (*walk, error) {
	x := &j.index
	x.mu.Lock()
	defer x.mu.Unlock()
	err := x.catchUp()
	i := max(pos, j.format.First) - j.format.First
	if i >= x.seen.records {
		return nil, err
	}
	offset, err := x.offset(i)
	if err != nil {
		return nil, err
	}
	w := &walk{lines: lines{file: x.log, next: offset, size: x.size}, path: j.path, format: &j.format,
		pos: j.format.First + i, line: int64(i)}
	if end := i + n; n < 1<<16 && end < x.seen.records {
		to, err := x.offset(end)
		if err != nil {
			return nil, err
		}
		w.first = to - offset
	}
	return w, nil
}
