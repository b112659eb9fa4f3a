package journal

import (
	"errors"
	"hash/fnv"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"handoff/internal/journal/appendlog"
)

// index finds the records of a log by position, list, key and mark. It learns
// them by reading the log. Most of it is on the disk (see [head]), the rest in
// memory. A query first reads the records that are new; appends do not wait for
// the index.
type index struct {
	log      *appendlog.Log
	format   *Format
	progress func(done, total int64)
	shelf    shelf
	lag      int64 // bytes of the log that may be indexed in memory only
	unsaved  bool  // the disk cannot be written
	distrust bool  // nor is what is on it used
	sound    bool  // damage, and what follows it, counts as the end

	mu     sync.Mutex
	file   *appendlog.File
	size   int64 // of the file, at the last look
	seen   seen
	base   head // the part on the disk
	recent recent
	open   *seen // before the last record, if that has no newline yet

	tender tender
}

const (
	// lagBytes are read again by every process that starts to query: less than a
	// millisecond's work.
	lagBytes = 128 << 10
	// stepBytes are read between two reports of progress, and stepRecords, or
	// eight times stepBytes, between two writes of the index: that bounds its
	// memory, and what has to be read again if building it is interrupted.
	stepBytes   = 4 << 20
	stepRecords = 1 << 16
)

// seen is how far the log was read.
type seen struct {
	appendlog.Place
	next uint64 // the largest number, plus one
}

// recent are the records that are indexed in memory only.
type recent struct {
	offsets []uint64
	lists   map[string][]uint64 // positions, ascending
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
	x := h.Sum64() // whose upper bits hardly depend on short strings
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

// catchUp reads what was written since the last time. If the log is damaged, it
// indexes everything before the damage and fails.
func (x *index) catchUp() (err error) {
	for range 3 {
		if err = x.look(); !errors.Is(err, io.EOF) { // truncated at this very moment
			break
		}
	}
	return err
}

func (x *index) look() error {
	file, size, err := x.log.Current()
	if err != nil {
		return err
	}
	x.size = size
	if x.file != file || !x.seen.Guard.Holds(file, size) {
		x.restart(file)
	}
	if size == x.seen.Guard.End {
		return nil
	}
	x.dropOpen()
	return x.scan()
}

// restart discards what was read, and starts with the index on the disk.
func (x *index) restart(file *appendlog.File) {
	x.file, x.open, x.recent, x.base = file, nil, recent{}, head{}
	x.seen = seen{next: x.format.First}
	if h := x.shelf.readHead(); !x.distrust && h.fits(x.format, file, x.size) {
		x.adopt(h)
	}
}

// adopt replaces everything in memory with the index on the disk.
func (x *index) adopt(h head) {
	g, err := appendlog.GuardAt(x.file, h.Bytes)
	if err != nil { // truncated at this moment
		return
	}
	x.base, x.recent, x.open = h, recent{}, nil
	x.seen = seen{appendlog.Place{Guard: g, Lines: h.Lines, Records: h.Records}, h.Next}
}

// scan reads to the end of the file, and leaves at most lag bytes of it indexed
// in memory only.
func (x *index) scan() error {
	long := x.size-x.seen.Guard.End > 2*stepBytes
	for {
		last, end, err := x.scanStep()
		if err != nil && !errors.As(err, new(*DamageError)) {
			return err
		}
		if x.progress != nil && long {
			x.progress(x.seen.Guard.End, x.size)
		}
		reached := x.seen.Guard.End
		lag := reached - x.base.Bytes
		if lag > x.lag && (end || lag >= 8*stepBytes || len(x.recent.offsets) >= stepRecords) {
			x.save()
			if x.seen.Guard.End != reached { // another process has saved more, or has started over
				continue
			}
		}
		if last != nil {
			return x.addOpen(*last)
		}
		if end {
			return err
		}
	}
}

// scanStep reads a part. If the last record has no newline it is returned
// instead of added. end reports the end of the file.
func (x *index) scanStep() (last *appendlog.Step, end bool, err error) {
	w := x.walk()
	w.Reuse = true
	w.Skipped = func(line, offset int64) { x.recent.passed = append(x.recent.passed, Passed{line, offset}) }
	for n := 0; n < stepRecords && w.Next()-x.seen.Guard.End < stepBytes; n++ {
		s, ok, err := w.Read()
		if !ok || s.Fragment {
			if s.Fragment {
				last = &s
			}
			return last, true, x.reached(w, err)
		}
		x.add(s.Pos, s.Offset, s.Number, &s.Facts)
	}
	return nil, false, x.reached(w, nil)
}

// walk continues where the index has stopped reading.
func (x *index) walk() *appendlog.Walk {
	return x.log.Walk(x.file, x.seen.Guard.End, x.size, x.seen.Records, x.seen.Lines)
}

// reached records how far a walk has come.
func (x *index) reached(w *appendlog.Walk, err error) error {
	place, placeErr := w.Place()
	if placeErr != nil {
		x.file = nil // start again
		return placeErr
	}
	x.seen.Place = place
	return err
}

// add indexes a record. The caller updates the place.
func (x *index) add(pos uint64, offset int64, number uint64, facts *Facts) {
	r := &x.recent
	r.offsets = append(r.offsets, uint64(offset))
	for _, k := range facts.Keys {
		r.keys = append(r.keys, key{hashOf(k), pos})
	}
	for _, m := range facts.Marks {
		r.keys = append(r.keys, key{markHash(m), pos})
	}
	for _, name := range facts.Lists {
		if r.lists == nil {
			r.lists = map[string][]uint64{}
		}
		r.lists[name] = append(r.lists[name], pos)
	}
	if number >= x.seen.next && number != Unnumbered {
		x.seen.next = number + 1
	}
}

// addOpen indexes the last record, which has no newline yet.
func (x *index) addOpen(s appendlog.Step) error {
	g, err := appendlog.GuardAt(x.file, s.End)
	if err != nil {
		return err
	}
	before := x.seen
	x.open = &before
	x.add(s.Pos, s.Offset, s.Number, &s.Facts)
	x.seen.Records++
	x.seen.Guard = g
	return nil
}

// dropOpen drops the last record if it had no newline: a later write may have
// changed it into another record.
func (x *index) dropOpen() {
	if x.open == nil {
		return
	}
	x.seen, x.open = *x.open, nil
	r := &x.recent
	r.truncate(x.format.First + x.seen.Records)
	r.offsets = r.offsets[:len(r.offsets)-1]
}

// truncate drops the keys and list entries from a position on.
func (r *recent) truncate(pos uint64) {
	r.keys = slices.DeleteFunc(r.keys, func(k key) bool { return k.pos >= pos })
	for name, list := range r.lists {
		r.lists[name] = slices.DeleteFunc(list, func(p uint64) bool { return p >= pos })
	}
}

// appended indexes what this process has written, so that it is not read and
// parsed again. Appends do not wait: if the index is in use, or was not up to
// date before, the next query reads the lines.
func (x *index) appended(a appendlog.Appended) {
	x.tend(a.End.End)
	if !x.mu.TryLock() {
		return
	}
	defer x.mu.Unlock()
	if x.file != a.File || x.open != nil || x.seen.Guard.End != a.Start || a.End.End-x.base.Bytes > x.lag || !a.End.Holds(a.File, a.End.End) {
		return
	}
	offset := a.Start
	for i := range a.Records {
		r := &a.Records[i]
		pos := x.format.First + x.seen.Records
		number := r.Facts.Number
		if number == Unnumbered {
			number = pos
		}
		x.add(pos, offset, number, &r.Facts)
		x.seen.Records++
		x.seen.Lines++
		offset += int64(r.Bytes)
	}
	x.seen.Guard = a.End
}

// nextNumber is the largest number of the log, plus one.
func (x *index) nextNumber() (uint64, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	err := x.catchUp()
	return x.seen.next, err
}

// tender brings the index up to date in the background if appends have left it
// far behind, so that the next query does not take long. No append waits for
// it, only Close does.
type tender struct {
	mu      sync.Mutex
	closed  bool
	running atomic.Bool
	covered atomic.Int64 // bytes of the log that are indexed on the disk, as far as appends know
	done    sync.WaitGroup
}

const (
	// tendBytes that are not on the disk are left to the next query; and so are
	// more than tendMost.
	tendBytes = 1 << 20
	tendMost  = 64 << 20
)

// tend is called after an append that ends at end.
func (x *index) tend(end int64) {
	t := &x.tender
	if end-t.covered.Load() < tendBytes || !t.running.CompareAndSwap(false, true) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	t.done.Go(func() {
		defer t.running.Store(false)
		t.covered.Store(x.tendNow(end))
	})
}

// tendNow returns how many bytes are indexed on the disk, or a large number if
// trying again is useless.
func (x *index) tendNow(end int64) int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	file, size, err := x.log.Current()
	if err != nil {
		return end
	}
	if x.size = size; x.file != file {
		x.restart(file)
	}
	lag := size - x.base.Bytes
	if lag > tendMost { // not left by appends: a query will report the progress
		return end
	}
	if lag >= tendBytes {
		err = x.catchUp()
	}
	switch {
	case x.unsaved || x.distrust:
		return 1<<63 - 1
	case err != nil:
		return end
	}
	return x.base.Bytes
}

func (x *index) stopTending() {
	t := &x.tender
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.done.Wait()
}
