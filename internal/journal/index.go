package journal

import (
	"hash/fnv"
	"slices"
	"sync"
)

// index knows where the records stand, and on which lists and under which
// keys. What it knows comes from reading the journal; it is caught up by those
// who ask it, never by an append.
type index struct {
	journal *Journal
	mu      sync.Mutex
	log     *logFile
	size    int64 // of the file, at the last look
	seen    seen
	recent  recent
	loose   *seen // before the last record, if that still lacks its line end
}

// seen is how far the journal was read.
type seen struct {
	guard   guard
	lines   int64
	records uint64
	next    uint64 // the largest number, plus one
}

// recent is what is known of the records that are in memory only.
type recent struct {
	offsets []uint64
	lists   map[string][]uint64 // positions, rising
	keys    []key
	passed  []Passed
}

type key struct{ hash, pos uint64 }

// Passed is a line of a tolerant journal that could not be read.
type Passed struct {
	Line   int64 // from 1
	Offset int64
}

func hashOf(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	x := h.Sum64() // whose upper bits say little about short strings
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

// catchUp reads what was written since the last time. It fails where the
// journal is damaged, and knows all that comes before.
func (x *index) catchUp() error {
	log, size, err := x.journal.current()
	if err != nil {
		return err
	}
	if x.log != log || !x.seen.guard.holds(log, size) {
		x.restart(log)
	}
	if x.size = size; size == x.seen.guard.end {
		return nil
	}
	x.dropLoose()
	return x.scan(size)
}

// restart forgets what was read from a file that is no longer so.
func (x *index) restart(log *logFile) {
	x.log, x.loose, x.recent = log, nil, recent{}
	x.seen = seen{next: x.journal.format.First}
}

func (x *index) scan(size int64) error {
	w := x.journal.walkFrom(x.log, x.seen, size)
	w.reuse = true
	w.passed = func(n int64, l line, _ error) { x.recent.passed = append(x.recent.passed, Passed{n, l.start}) }
	for {
		s, ok, err := w.read()
		if !ok {
			return x.upTo(w, err)
		}
		if s.fragment {
			if err := x.upTo(w, nil); err != nil {
				return err
			}
			before := x.seen
			x.loose = &before
			x.add(s)
			x.seen.guard, err = guardAt(x.log, s.end)
			return err
		}
		x.add(s)
	}
}

// upTo notes how far a walk has come.
func (x *index) upTo(w *walk, err error) error {
	g, gerr := guardAt(x.log, w.next)
	if gerr != nil {
		x.log = nil // start again
		return gerr
	}
	x.seen.guard, x.seen.lines = g, w.line
	return err
}

func (x *index) add(s step) {
	r := &x.recent
	r.offsets = append(r.offsets, uint64(s.start))
	for _, k := range s.facts.Keys {
		r.keys = append(r.keys, key{hashOf(k), s.pos})
	}
	for _, name := range s.facts.Lists {
		if r.lists == nil {
			r.lists = map[string][]uint64{}
		}
		r.lists[name] = append(r.lists[name], s.pos)
	}
	x.seen.records++
	if n := s.facts.Number; n >= x.seen.next && n != Unnumbered {
		x.seen.next = n + 1
	}
}

// dropLoose forgets the last record if it came without a line end: what has
// been written after it may have made something else of it.
func (x *index) dropLoose() {
	if x.loose == nil {
		return
	}
	x.seen, x.loose = *x.loose, nil
	pos := x.journal.format.First + x.seen.records
	r := &x.recent
	r.offsets = r.offsets[:len(r.offsets)-1]
	r.keys = slices.DeleteFunc(r.keys, func(k key) bool { return k.pos == pos })
	for name, list := range r.lists {
		r.lists[name] = slices.DeleteFunc(list, func(p uint64) bool { return p == pos })
	}
}

// nextNumber is the largest number of the journal, plus one.
func (x *index) nextNumber() (uint64, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	err := x.catchUp()
	return x.seen.next, err
}

// walkFrom continues where a reader has come to.
func (j *Journal) walkFrom(log *logFile, s seen, size int64) *walk {
	return &walk{lines: lines{file: log, next: s.guard.end, size: size}, path: j.path, format: &j.format,
		pos: j.format.First + s.records, line: s.lines}
}
