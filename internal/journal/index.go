package journal

import (
	"errors"
	"hash/fnv"
	"io"
	"slices"
	"sync"
	"sync/atomic"
)

// index knows where the records stand, and on which lists and under which
// keys. What it knows comes from reading the journal: most of it is on the
// disk (see [head]), the rest in memory. Those who ask it read what is new to
// it; those who append do not wait for it.
type index struct {
	journal  *Journal
	shelf    shelf
	lag      int64 // bytes of the journal that may be known in memory only
	unsaved  bool  // the disk cannot be written
	distrust bool  // and is not believed either

	mu     sync.Mutex
	log    *logFile
	size   int64 // of the file, at the last look
	seen   seen
	base   head // what is on the disk
	recent recent
	loose  *seen // before the last record, if that still lacks its line end

	tending atomic.Bool
	covered atomic.Int64 // bytes covered on the disk, as far as appends know
}

const (
	// lagBytes are read again by every process that begins to ask: less than a
	// millisecond's work.
	lagBytes = 128 << 10
	// tendBytes of lag are left to whoever asks next, also by appends; and so
	// is more than tendMost.
	tendBytes = 1 << 20
	tendMost  = 64 << 20
	// stepBytes are read between two reports of progress, and stepRecords, or
	// eight times stepBytes, between two writes of the index: that bounds its
	// memory, and what has to be read again if its making is broken off.
	stepBytes   = 4 << 20
	stepRecords = 1 << 16
)

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
func (x *index) catchUp() (err error) {
	for range 3 {
		if err = x.look(); !errors.Is(err, io.EOF) { // cut in this very moment
			break
		}
	}
	return err
}

func (x *index) look() error {
	log, size, err := x.journal.current()
	if err != nil {
		return err
	}
	x.size = size
	if x.log != log || !x.seen.guard.holds(log, size) {
		x.restart(log)
	}
	if size == x.seen.guard.end {
		return nil
	}
	x.dropLoose()
	return x.scan()
}

// restart forgets what was read, and begins with what the disk knows.
func (x *index) restart(log *logFile) {
	x.log, x.loose, x.recent, x.base = log, nil, recent{}, head{}
	x.seen = seen{next: x.journal.format.First}
	if h := x.shelf.readHead(); !x.distrust && h.fits(&x.journal.format, log, x.size) {
		x.adopt(h)
	}
}

// adopt takes the place of all that is in memory.
func (x *index) adopt(h head) {
	g, err := guardAt(x.log, h.Bytes)
	if err != nil { // cut in this moment
		return
	}
	x.base, x.recent, x.loose = h, recent{}, nil
	x.seen = seen{g, h.Lines, h.Records, h.Next}
}

// scan reads to the end of the file, and leaves the disk at most lag bytes
// behind.
func (x *index) scan() error {
	long := x.size-x.seen.guard.end > 2*stepBytes
	for {
		loose, end, err := x.scanStep()
		if err != nil && !errors.As(err, new(*DamageError)) {
			return err
		}
		if report := x.journal.options.Progress; report != nil && long {
			report(x.seen.guard.end, x.size)
		}
		reached := x.seen.guard.end
		lag := reached - x.base.Bytes
		if lag > x.lag && (end || lag >= 8*stepBytes || len(x.recent.offsets) >= stepRecords) {
			x.flush()
			if x.seen.guard.end != reached { // another process is further, or has begun anew
				continue
			}
		}
		if loose != nil {
			return x.addLoose(*loose)
		}
		if end {
			return err
		}
	}
}

// scanStep reads a part. It returns the last record apart if that lacks its
// line end, and says whether it has come to the end.
func (x *index) scanStep() (loose *step, end bool, err error) {
	w := x.journal.walkFrom(x.log, x.seen, x.size)
	w.reuse = true
	w.passed = func(n int64, l line, _ error) { x.recent.passed = append(x.recent.passed, Passed{n, l.start}) }
	for n := 0; n < stepRecords && w.next-x.seen.guard.end < stepBytes; n++ {
		s, ok, err := w.read()
		if !ok {
			return nil, true, x.upTo(w, err)
		}
		if s.fragment {
			return &s, true, x.upTo(w, nil)
		}
		x.add(s)
	}
	return nil, false, x.upTo(w, nil)
}

func (x *index) addLoose(s step) error {
	g, err := guardAt(x.log, s.end)
	if err != nil {
		return err
	}
	before := x.seen
	x.loose = &before
	x.add(s)
	x.seen.guard = g
	return nil
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
	for _, m := range s.facts.Marks {
		r.keys = append(r.keys, key{m.hash(), s.pos})
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
