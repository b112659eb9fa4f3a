package journal

import (
	"fmt"
	"io"
	"iter"
	"math"
)

// Len is the number of records: their positions begin at [Format.First].
func (j *Journal) Len() (n uint64, err error) {
	err = j.index.ask(func() error {
		n = j.index.seen.records
		return nil
	})
	return n, err
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
		w, s, err := j.begin(pos, n)
		w.through(s, n, err, yield)
	}
}

// through goes through at most n records, from one that was read on; err is why
// that could not be. Without one the walk is nil.
func (w *walk) through(s step, n uint64, err error, yield func(Record, error) bool) {
	for left := n; w != nil && err == nil; {
		if left--; !yield(s.record(), nil) || s.fragment || left == 0 {
			return
		}
		var ok bool
		if s, ok, err = w.read(); !ok && err == nil {
			return
		}
	}
	if err != nil {
		yield(Record{}, err)
	}
}

// begin reads the first record of a walk; without one the walk is nil. If the
// record is not where the index says, then the index is made anew: it was
// damaged, or the journal was changed in its middle.
func (j *Journal) begin(pos, n uint64) (w *walk, s step, err error) {
	for range 2 {
		var ok bool
		if w, err = j.walkAt(pos, n); w == nil || err != nil {
			return nil, s, err
		}
		offset := w.next
		if s, ok, err = w.read(); ok && s.start == offset && j.atLineStart(w.file, offset) {
			return w, s, nil
		}
		j.index.mu.Lock()
		j.index.discard()
		j.index.mu.Unlock()
	}
	if err == nil {
		err = fmt.Errorf("%s: record %d: %w", j.path, pos, ErrChanged)
	}
	return nil, s, err
}

func (j *Journal) atLineStart(log io.ReaderAt, offset int64) bool {
	if !j.format.Tolerant { // the number has told
		return true
	}
	var b [1]byte
	_, err := log.ReadAt(b[:], max(0, offset-1))
	return err == nil && (offset == 0 || b[0] == '\n')
}

// walkAt prepares a walk from a position on, to read n records; nil if the
// journal ends before it.
func (j *Journal) walkAt(pos, n uint64) (w *walk, err error) {
	x := &j.index
	first := j.format.First
	i := max(pos, first) - first
	err = x.askAnyway(func(caughtUp error) error {
		if i >= x.seen.records {
			return caughtUp
		}
		offset, err := x.offset(i)
		if err != nil {
			return err
		}
		w = &walk{lines: lines{file: x.log, next: offset, size: x.size}, path: j.path, format: &j.format, pos: first + i, line: int64(i)}
		if end := i + n; n < 1<<16 && end < x.seen.records {
			to, err := x.offset(end)
			w.first = min(to-offset, chunkBytes)
			return err
		}
		return nil
	})
	return w, err
}
