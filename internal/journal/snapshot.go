package journal

import (
	"iter"
	"math"
	"os"
	"sync"
)

// Snapshot is the file that stood at a journal's path at one moment, for
// readers who ask more than once: it stays the same when another file takes its
// place, or none does. What is appended is told as by the journal; who wants no
// more than there was keeps to Len.
//
// As long as the file stands in its place the journal is asked, and its index.
// Else the file that is still open is read, once all through.
type Snapshot struct {
	live *Journal
	log  *logFile
	n    uint64

	mu    sync.Mutex
	apart *Journal // of the open file, nil while that is in its place
}

// Snapshot is of the file that is there now. It is of use until the journal is
// closed.
func (j *Journal) Snapshot() (s *Snapshot, err error) {
	err = j.index.ask(func() error {
		s = &Snapshot{live: j, log: j.index.log, n: j.index.seen.records}
		return nil
	})
	return s, err
}

// Len is the number of records when the snapshot was made.
func (s *Snapshot) Len() uint64 { return s.n }

// Get is that of the journal, as are the methods that follow.
func (s *Snapshot) Get(pos uint64) (Record, error) {
	return held(s, func(j *Journal) (Record, error) { return j.Get(pos) })
}

// Find: see [Journal.Find].
func (s *Snapshot) Find(key string) ([]uint64, error) {
	return held(s, func(j *Journal) ([]uint64, error) { return j.Find(key) })
}

// Count: see [Journal.Count].
func (s *Snapshot) Count(list string) (uint64, error) {
	return held(s, func(j *Journal) (uint64, error) { return j.Count(list) })
}

// Nth: see [Journal.Nth].
func (s *Snapshot) Nth(list string, k uint64) (pos uint64, ok bool, err error) {
	some, err := held(s, func(j *Journal) ([]uint64, error) { return j.Some(list, k, 1) })
	if len(some) == 0 {
		return 0, false, err
	}
	return some[0], true, nil
}

// Passed: see [Journal.Passed].
func (s *Snapshot) Passed() ([]Passed, error) { return held(s, (*Journal).Passed) }

// Since: see [Journal.Since].
func (s *Snapshot) Since(pos uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		var first step
		w, err := held(s, func(j *Journal) (w *walk, err error) {
			w, first, err = j.begin(pos, math.MaxUint64)
			return w, err
		})
		w.through(first, math.MaxUint64, err, yield) // it reads the file that it was begun in
	}
}

// held asks the journal, if it still reads the file of the snapshot when it has
// answered; else one of that file alone.
func held[T any](s *Snapshot, ask func(*Journal) (T, error)) (T, error) {
	s.mu.Lock()
	apart := s.apart
	s.mu.Unlock()
	if apart == nil {
		v, err := ask(s.live)
		if s.live.index.reads(s.log) && (err == nil || s.inPlace()) {
			return v, err
		}
		apart = s.alone()
	}
	return ask(apart)
}

// inPlace reports whether an error is one of the file, not of its path.
func (s *Snapshot) inPlace() bool {
	st, err := os.Stat(s.live.path)
	return err == nil && os.SameFile(st, s.log.info)
}

func (s *Snapshot) alone() *Journal {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.apart == nil {
		j := newJournal(s.live.path, s.live.format, s.live.options)
		j.log.Store(s.log)
		j.fixed, j.index.unsaved, j.index.distrust = true, true, true // the index on the disk is another's
		s.apart = j
	}
	return s.apart
}

// reads reports whether a file is the one that the index tells of.
func (x *index) reads(log *logFile) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.log == log
}
