package appendlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"unicode/utf8"

	"handoff/internal/file/lockfile"
)

// Expect is a condition on the next number. Its zero value is no condition.
type Expect struct {
	exact   bool
	next    uint64
	settled bool
	final   bool
}

// Any lets an append happen whatever the next number is.
func Any() Expect { return Expect{} }

// At lets an append happen only if its first record gets that number.
func At(next uint64) Expect { return Expect{exact: true, next: next} }

// Settled is [Any] for an append that depends on the content of the log: when
// its build is called, all records before its first can be read from the file,
// also those that are written and flushed together with its own. So a caller
// decides once, under the lock, and never has to retry because another was
// faster.
func Settled() Expect { return Expect{settled: true} }

// Final is [Settled] for records after which other writers must decide again: every
// later append can read them, even one without a condition.
func Final() Expect { return Expect{settled: true, final: true} }

// request is an append that waits to be written.
type request struct {
	expect   Expect
	build    func(next uint64) ([]Line, error)
	done     chan struct{} // closed when what follows is set
	first    uint64
	err      error
	panicked any // by build, which another goroutine may have called
}

// Append adds records and returns the number of the first. It returns when they are
// flushed to the disk (but see [Options.Batch]); for its errors see [ErrConflict]
// and [ErrUnknown]. ctx ends the wait for other writers, but not a write.
//
// build gets the number of its first record and returns the lines. It is called
// at most once (but again after each conflict if the log has an [Upstream]), by
// any goroutine, while the log is locked: it should be quick, and may read the
// log but not append to it. Its error ends the append. If it
// returns no lines nothing is written.
//
// Concurrent appends are written and flushed together, each with its own
// condition and its own result.
func (l *Log) Append(ctx context.Context, expect Expect, build func(next uint64) ([]Line, error)) (first uint64, err error) {
	r := &request{expect: expect, build: build, done: make(chan struct{})}
	l.mu.Lock()
	l.waiting = append(l.waiting, r)
	l.mu.Unlock()
	select {
	case <-r.done:
	case l.turn <- struct{}{}:
		l.lead(ctx, r)
		<-l.turn
	case <-ctx.Done():
		if l.withdraw(r) {
			return 0, ctx.Err()
		}
		<-r.done // it is being written
	}
	if r.panicked != nil {
		panic(r.panicked)
	}
	return r.first, r.err
}

// withdraw removes a request from the queue, unless it was taken from there.
func (l *Log) withdraw(r *request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.waiting, r)
	if i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
	return i >= 0
}

// lead writes all waiting requests. The goroutine whose turn it is calls it; its own
// request may be done already.
func (l *Log) lead(ctx context.Context, own *request) {
	select {
	case <-own.done:
		return
	default:
	}
	if l.format.Tolerant && !l.format.Plain {
		l.index.Next() // before the lock: most of what has to be read under it
	}
	unlock, err := l.acquire(ctx)
	if err != nil { // perhaps only this context has ended: the other requests try again
		if l.withdraw(own) {
			own.err = err
			close(own.done)
		}
		return
	}
	if l.crowd > 1 { // callers that were served a moment ago may be about to append again
		runtime.Gosched()
	}
	batch := l.takeWaiting()
	l.crowd = len(batch)
	if l.options.Upstream != nil {
		l.writeThrough(ctx, batch)
	} else {
		l.writeAll(batch)
	}
	unlock()
	for _, r := range batch {
		close(r.done)
	}
}

func (l *Log) takeWaiting() []*request {
	l.mu.Lock()
	defer l.mu.Unlock()
	batch := l.waiting
	l.waiting = nil
	return batch
}

// batchBytes is the size of a write that keeps the disk busy: further requests
// wait for the next one.
const batchBytes = 1 << 20

// writeAll carries out a batch and sets the results. It may take several writes,
// but one flush, unless the file is replaced in between.
func (l *Log) writeAll(batch []*request) {
	var w written
	defer func() { l.commit(&w) }()
	for len(batch) > 0 {
		t, err := l.ready()
		if err != nil {
			if w.file == nil && errors.Is(err, fs.ErrNotExist) { // no log: leave no lock file of it
				lockfile.RemoveHeld(l.lock.Root, l.lock.Path)
			}
			fail(batch, err)
			return
		}
		if w.file != nil && w.file != t.file {
			l.commit(&w)
		}
		n, b := l.fill(batch, t.next)
		if len(b.data) > 0 {
			l.put(&w, t, batch[:n], b)
		}
		batch = batch[n:]
	}
}

// fill composes requests, the first n of them, until a block is full.
func (l *Log) fill(batch []*request, next uint64) (n int, b block) {
	b = block{data: l.buf.data[:0], records: l.buf.records[:0], next: next}
	for final := false; n < len(batch) && len(b.data) < batchBytes && !(len(b.data) > 0 && (final || batch[n].expect.settled)); n++ {
		l.compose(batch[n], &b)
		final = batch[n].expect.final
	}
	if cap(b.data) <= 2*batchBytes {
		l.buf = b
	}
	return n, b
}

// fail sets this error for all requests that have no error yet.
func fail(batch []*request, err error) {
	for _, r := range batch {
		if r.err == nil && err != nil {
			r.first, r.err = 0, err
		}
	}
}

// block is the lines of one write.
type block struct {
	data    []byte
	records []Written
	next    uint64 // the number after them
}

// compose adds a request's lines to a block if its condition is met.
func (l *Log) compose(r *request, b *block) {
	defer func() {
		if r.panicked = recover(); r.panicked != nil {
			r.err = errors.New("panicked")
		}
	}()
	if r.expect.exact && r.expect.next != b.next {
		r.err = fmt.Errorf("%s: %w: the next number is %d, not %d", l.path, ErrConflict, b.next, r.expect.next)
		return
	}
	lines, err := r.build(b.next)
	if err != nil {
		r.err = err
		return
	}
	before := *b
	if r.err = l.join(b, lines); r.err != nil {
		*b = before
		return
	}
	r.first = before.next
}

// join adds lines to a block, if the log would read each of them as the record
// that it is meant to be.
func (l *Log) join(b *block, lines []Line) error {
	size := 0
	for _, line := range lines {
		size += len(line.Text) + 1
	}
	b.data = slices.Grow(b.data, size) // growing by doubling would hold the lines up to three times
	for _, line := range lines {
		facts, err := l.check(line, b.next)
		if err != nil {
			return fmt.Errorf("%s: record %d is not written: %w", l.path, b.next, err)
		}
		b.data = append(append(b.data, line.Text...), '\n')
		b.records = append(b.records, Written{facts, len(line.Text) + 1})
		b.next++
	}
	return nil
}

func (l *Log) check(line Line, number uint64) (facts Facts, err error) {
	switch {
	case len(line.Text) > l.options.maxLine():
		return facts, fmt.Errorf("%d bytes, at most %d are allowed", len(line.Text), l.options.maxLine())
	case bytes.IndexByte(line.Text, '\n') >= 0:
		return facts, errors.New("it contains a line end")
	case !l.format.AnyBytes && !utf8.Valid(line.Text):
		return facts, errNotUTF8
	case number == Unnumbered:
		return facts, errors.New("no numbers are left")
	case line.Facts != nil:
		facts = *line.Facts
	default:
		if facts, err = l.format.Read(line.Text); err != nil {
			return facts, err
		}
	}
	if facts.Number != number && !(l.format.Tolerant && facts.Number == Unnumbered) {
		err = &misnumberedError{facts.Number, number}
	}
	return facts, err
}
