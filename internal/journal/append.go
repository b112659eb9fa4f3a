package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"

	"handoff/internal/file/lockfile"
)

// Expect is a condition on the next number. Its zero value is none.
type Expect struct {
	exact   bool
	next    uint64
	settled bool
}

// Any lets an append go wherever the journal has got to.
func Any() Expect { return Expect{} }

// At lets an append happen only if its first record gets that number.
func At(next uint64) Expect { return Expect{exact: true, next: next} }

// Settled is [Any] for an append that depends on what the journal has: when its
// build is called, all records before its first can be read from the journal,
// also those that are written and flushed together with its own. So a caller
// decides once, in its turn, and never has to look again because somebody else
// was faster.
func Settled() Expect { return Any().Settled() }

// Settled adds to a condition what [Settled] is.
func (e Expect) Settled() Expect {
	e.settled = true
	return e
}

// request is an append that waits to be written.
type request struct {
	expect   Expect
	build    func(next uint64) ([][]byte, error)
	done     chan struct{} // closed when what follows is set
	first    uint64
	err      error
	panicked any // by build, which another goroutine may have called
}

// Append adds records and returns the number of the first. It returns when
// they are on the disk (but see [Options.Batch]), and fails as [ErrConflict]
// and [ErrUnknown] tell. ctx ends the waiting for others, not the writing.
//
// build is given the number of its first record, the others following, and
// returns the lines without their line ends. It is called at most once, by any
// goroutine, while the journal is locked: it should be quick, and may read the
// journal but not append to it. Its error ends the append. If it returns no
// lines nothing is written.
//
// Appends that are under way at once are written and flushed together, each
// with its own condition and its own result.
func (j *Journal) Append(ctx context.Context, expect Expect, build func(next uint64) ([][]byte, error)) (first uint64, err error) {
	r := &request{expect: expect, build: build, done: make(chan struct{})}
	j.mu.Lock()
	j.waiting = append(j.waiting, r)
	j.mu.Unlock()
	select {
	case <-r.done:
	case j.turn <- struct{}{}:
		j.lead(ctx, r)
		<-j.turn
	case <-ctx.Done():
		if j.withdraw(r) {
			return 0, ctx.Err()
		}
		<-r.done // it is being written
	}
	if r.panicked != nil {
		panic(r.panicked)
	}
	return r.first, r.err
}

// withdraw takes a request back, unless someone is at it.
func (j *Journal) withdraw(r *request) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	i := slices.Index(j.waiting, r)
	if i >= 0 {
		j.waiting = slices.Delete(j.waiting, i, i+1)
	}
	return i >= 0
}

// lead writes what waits, for the holder of the turn, whose own request it
// may find done already.
func (j *Journal) lead(ctx context.Context, own *request) {
	select {
	case <-own.done:
		return
	default:
	}
	if j.format.Tolerant && !j.format.Plain {
		j.index.nextNumber() // most of what ready will have to read, before others wait for it
	}
	unlock, err := j.lock(ctx)
	if err != nil { // perhaps only this context has ended: the others try for themselves
		if j.withdraw(own) {
			own.err = err
			close(own.done)
		}
		return
	}
	if j.crowd > 1 { // those who were served a moment ago come again: let them
		runtime.Gosched()
	}
	batch := j.takeWaiting()
	j.crowd = len(batch)
	j.write(batch)
	unlock()
	for _, r := range batch {
		close(r.done)
	}
	j.tend()
}

// batchBytes is when a write is large enough to keep the disk busy, and other
// requests wait for the next one.
const batchBytes = 1 << 20

func (j *Journal) takeWaiting() []*request {
	j.mu.Lock()
	defer j.mu.Unlock()
	batch := j.waiting
	j.waiting = nil
	return batch
}

// write carries out a batch and sets the results. It may take several writes,
// but one flush, unless the file is replaced in between.
func (j *Journal) write(batch []*request) {
	var w written
	defer func() { j.commit(&w) }()
	for len(batch) > 0 {
		data := j.buf[:0]
		t, err := j.ready()
		if err != nil {
			if w.log == nil && errors.Is(err, fs.ErrNotExist) { // there is no journal: leave no lock of it
				lockfile.RemoveHeld(j.locked.Root, j.locked.Path)
			}
			fail(batch, err)
			return
		}
		if w.log != nil && w.log != t.log {
			j.commit(&w)
		}
		n, next := 0, t.next
		for n < len(batch) && len(data) < batchBytes && !(batch[n].expect.settled && len(data) > 0) {
			data, next = j.compose(batch[n], data, next)
			n++
		}
		if len(data) > 0 {
			j.put(&w, t, batch[:n], data, next)
		}
		if cap(data) <= 2*batchBytes {
			j.buf = data
		}
		batch = batch[n:]
	}
}

// fail gives all that have no error yet this one.
func fail(batch []*request, err error) {
	for _, r := range batch {
		if r.err == nil && err != nil {
			r.first, r.err = 0, err
		}
	}
}

// compose appends a request's lines to data if its condition holds, and says
// which number comes after them.
func (j *Journal) compose(r *request, data []byte, next uint64) (longer []byte, after uint64) {
	longer, after = data, next
	defer func() {
		if r.panicked = recover(); r.panicked != nil {
			r.err = errors.New("panicked")
		}
	}()
	if r.expect.exact && r.expect.next != next {
		r.err = fmt.Errorf("%s: %w", j.path, &ConflictError{r.expect.next, next})
		return data, next
	}
	lines, err := r.build(next)
	if err == nil {
		longer, after, err = j.join(data, next, lines)
	}
	if err != nil {
		r.err = err
		return data, next
	}
	r.first = next
	return longer, after
}

// join appends lines to data, if the journal would read each of them as the
// record that it is meant to be.
func (j *Journal) join(data []byte, next uint64, lines [][]byte) ([]byte, uint64, error) {
	size := 0
	for _, l := range lines {
		size += len(l) + 1
	}
	data = slices.Grow(data, size) // what grows by doubling holds lines up to three times
	for _, l := range lines {
		if err := j.check(l, next); err != nil {
			return nil, 0, fmt.Errorf("%s: record %d is not written: %w", j.path, next, err)
		}
		data = append(append(data, l...), '\n')
		next++
	}
	return data, next, nil
}

func (j *Journal) check(text []byte, number uint64) error {
	switch {
	case len(text) > j.options.maxLine():
		return fmt.Errorf("%d bytes, at most %d are allowed", len(text), j.options.maxLine())
	case bytes.IndexByte(text, '\n') >= 0:
		return errors.New("it contains a line end")
	case number == Unnumbered:
		return errors.New("no numbers are left")
	}
	facts, err := j.format.Read(text)
	if err == nil && facts.Number != number && !(j.format.Tolerant && facts.Number == Unnumbered) {
		err = &misnumberedError{facts.Number, number}
	}
	return err
}
