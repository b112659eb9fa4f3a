package journal

import (
	"fmt"
	"iter"
	"math"

	"handoff/internal/journal/appendlog"
)

// Len is the number of records: their positions begin at [Format.First].
func (j *Journal) Len() (n uint64, err error) {
	err = j.index.ask(func() error {
		n = j.index.seen.Records
		return nil
	})
	return n, err
}

// Get returns one record, or [ErrNoRecord].
func (j *Journal) Get(pos uint64) (Record, error) {
	for rec, err := range j.from(pos, 1) {
		return rec, err
	}
	return Record{}, fmt.Errorf("%s: record %d: %w", j.Path(), pos, ErrNoRecord)
}

// Last returns the last record, ok false if there is none.
func (j *Journal) Last() (rec Record, ok bool, err error) {
	n, err := j.Len()
	if err != nil || n == 0 {
		return Record{}, false, err
	}
	rec, err = j.Get(j.format.First + n - 1)
	return rec, err == nil, err
}

// Since yields the records from a position on, up to the last one that exists
// when it begins. Damage ends it with an error, after all records before the
// damage.
func (j *Journal) Since(pos uint64) iter.Seq2[Record, error] { return j.from(pos, math.MaxUint64) }

// from yields at most n records from a position on.
func (j *Journal) from(pos, n uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		w, s, err := j.begin(pos, n)
		through(w, s, n, err, yield)
	}
}

// through yields at most n records, the first of which was already read; err is
// why it could not be. Without such a record the walk is nil.
func through(w *appendlog.Walk, s appendlog.Step, n uint64, err error, yield func(Record, error) bool) {
	for left := n; w != nil && err == nil; {
		if left--; !yield(s.Record, nil) || s.Fragment || left == 0 {
			return
		}
		var ok bool
		if s, ok, err = w.Read(); !ok && err == nil {
			return
		}
	}
	if err != nil {
		yield(Record{}, err)
	}
}

// begin reads the first record of a walk; without one the walk is nil. If the
// record is not where the index says, the index is rebuilt: it was damaged, or
// the journal was changed in its middle.
func (j *Journal) begin(pos, n uint64) (w *appendlog.Walk, s appendlog.Step, err error) {
	for range 2 {
		var ok bool
		if w, err = j.walkAt(pos, n); w == nil || err != nil {
			return nil, s, err
		}
		offset := w.Next()
		if s, ok, err = w.Read(); ok && s.Offset == offset && w.StartsLine(offset) {
			return w, s, nil
		}
		j.index.mu.Lock()
		j.index.discard()
		j.index.mu.Unlock()
	}
	if err == nil {
		err = fmt.Errorf("%s: record %d: %w", j.Path(), pos, ErrChanged)
	}
	return nil, s, err
}

const maxFirstRead = 64 << 10

// walkAt prepares a walk from a position on, to read n records; nil if the
// journal ends before it.
func (j *Journal) walkAt(pos, n uint64) (w *appendlog.Walk, err error) {
	x := &j.index
	i := max(pos, j.format.First) - j.format.First
	err = x.askAnyway(func(caughtUp error) error {
		if i >= x.seen.Records {
			return caughtUp
		}
		offset, err := x.offset(i)
		if err != nil {
			return err
		}
		w = j.log.Walk(x.file, offset, x.size, i, int64(i))
		if end := i + n; n < 1<<16 && end < x.seen.Records {
			to, err := x.offset(end)
			w.First = min(to-offset, maxFirstRead)
			return err
		}
		return nil
	})
	return w, err
}
