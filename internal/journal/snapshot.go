package journal

import (
	"iter"
	"math"
	"os"
	"sync"

	"handoff/internal/journal/appendlog"
)

// Snapshot is the file that was at a journal's path at one moment, for readers
// with more than one query: it stays the same when the file is replaced or
// deleted. It does include later appends; a reader that does not want them stops
// at Len.
//
// While the file is in its place the journal and its index answer. Otherwise the
// file that is still open is read once from start to end.
type Snapshot struct {
	live *Journal
	file *appendlog.File
	n    uint64

	mu     sync.Mutex
	pinned *Journal // of the open file, nil while that is in its place
}

// Snapshot is of the file that exists now. It can be used until the journal is
// closed.
func (j *Journal) Snapshot() (s *Snapshot, err error) {
	err = j.index.ask(func() error {
		s = &Snapshot{live: j, file: j.index.file, n: j.index.seen.Records}
		return nil
	})
	return s, err
}

// Len is the number of records when the snapshot was made.
func (s *Snapshot) Len() uint64 { return s.n }

// Get is [Journal.Get].
func (s *Snapshot) Get(pos uint64) (Record, error) {
	return held(s, func(j *Journal) (Record, error) { return j.Get(pos) })
}

// Find is [Journal.Find].
func (s *Snapshot) Find(key string) ([]uint64, error) {
	return held(s, func(j *Journal) ([]uint64, error) { return j.Find(key) })
}

// Count is [Journal.Count].
func (s *Snapshot) Count(list string) (uint64, error) {
	return held(s, func(j *Journal) (uint64, error) { return j.Count(list) })
}

// Nth is [Journal.Nth].
func (s *Snapshot) Nth(list string, k uint64) (pos uint64, ok bool, err error) {
	some, err := held(s, func(j *Journal) ([]uint64, error) { return j.Some(list, k, 1) })
	if len(some) == 0 {
		return 0, false, err
	}
	return some[0], true, nil
}

// Passed is [Journal.Passed].
func (s *Snapshot) Passed() ([]Passed, error) { return held(s, (*Journal).Passed) }

// Since is [Journal.Since].
func (s *Snapshot) Since(pos uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		var first appendlog.Step
		w, err := held(s, func(j *Journal) (w *appendlog.Walk, err error) {
			w, first, err = j.begin(pos, math.MaxUint64)
			return w, err
		})
		through(w, first, math.MaxUint64, err, yield) // it reads the file that it was started in
	}
}

// held asks the journal, if it still reads the file of the snapshot when it has
// answered; otherwise a journal of that file alone.
func held[T any](s *Snapshot, ask func(*Journal) (T, error)) (T, error) {
	s.mu.Lock()
	pinned := s.pinned
	s.mu.Unlock()
	if pinned == nil {
		v, err := ask(s.live)
		if s.live.index.reads(s.file) && (err == nil || s.inPlace()) {
			return v, err
		}
		pinned = s.pin()
	}
	return ask(pinned)
}

// inPlace reports whether an error is about the file, not about its path.
func (s *Snapshot) inPlace() bool {
	st, err := os.Stat(s.live.Path())
	return err == nil && os.SameFile(st, s.file.Info())
}

func (s *Snapshot) pin() *Journal {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pinned == nil {
		j := &Journal{format: s.live.format, options: s.live.options}
		s.pinned = j.over(s.live.log.Pinned(s.file))
		j.index.unsaved, j.index.distrust = true, true // the index on the disk is of another file
	}
	return s.pinned
}

// reads reports whether the index is of this file.
func (x *index) reads(file *appendlog.File) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.file == file
}
