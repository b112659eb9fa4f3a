package appendlog

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"sync"
	"time"
)

// Follow yields the records from a position on, and waits for more at the end:
// appends by this process are seen at once, those of others at the next poll. It
// ends, with the context's error, when the context does; with [ErrChanged] if
// the records read before are no longer in the file; with fs.ErrClosed after
// Close. It waits for a position after the end. start returns the file and a
// place in it at or before the position.
//
// It reads from the file at the pace of its caller. Nothing is queued, and
// writers do not wait for it.
func (l *Log) Follow(ctx context.Context, pos uint64, start func() (*File, Place, error)) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		f := follower{log: l, from: pos}
		stop := l.poll()
		defer stop()
		defer l.watch(ctx)()
		for {
			changed := l.changes.next() // before looking, to miss nothing
			if more, err := f.read(ctx, start, yield); !more || err != nil {
				if err != nil {
					yield(Record{}, err)
				}
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
			}
		}
	}
}

// FollowAfter is Follow from the record after one that was read before. It fails
// with [ErrChanged] if that record is no longer in its place, so that a reader does
// not continue in another file or wait there for a position that it never reaches.
func (l *Log) FollowAfter(ctx context.Context, rec Record) iter.Seq2[Record, error] {
	return l.Follow(ctx, rec.Pos+1, func() (*File, Place, error) {
		f, size, err := l.Current()
		if err != nil {
			return nil, Place{}, err
		}
		end := rec.Offset + int64(len(rec.Line))
		if size < end {
			return nil, Place{}, l.wrap(ErrChanged)
		}
		if line, err := readLine(f, rec.Offset, end); err != nil || !bytes.Equal(line, rec.Line) {
			return nil, Place{}, l.wrap(errors.Join(err, ErrChanged))
		}
		before := rec.Pos - l.format.First
		g, err := GuardAt(f, rec.Offset) // it is read again, as its line may have had no newline
		return f, Place{g, int64(before), before}, err
	})
}

// follower is the place that a Follow has reached.
type follower struct {
	log   *Log
	from  uint64 // records before it are not yielded
	file  *File
	place Place
}

// read yields all records in the file. more is false if the caller has stopped.
func (f *follower) read(ctx context.Context, start func() (*File, Place, error), yield func(Record, error) bool) (more bool, err error) {
	l := f.log
	if l.isClosed() {
		return false, l.wrap(fs.ErrClosed)
	}
	if f.file == nil {
		if f.file, f.place, err = start(); err != nil {
			return false, err
		}
	}
	file, size, err := l.Current() // after that, or it could be less
	if err != nil {
		return false, err
	}
	if f.file != file || !f.place.Guard.Holds(file, size) {
		return false, l.wrap(ErrChanged)
	}
	w := l.Walk(file, f.place.Guard.End, size, f.place.Records, f.place.Lines)
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		s, ok, err := w.Read()
		if err != nil || !ok || s.Fragment {
			return true, errors.Join(err, f.reached(w))
		}
		if s.Pos >= f.from && !yield(s.Record, nil) {
			return false, nil
		}
	}
}

// reached records how far the walk has come.
func (f *follower) reached(w *Walk) (err error) {
	if w.Next() != f.place.Guard.End {
		f.place, err = w.Place()
	}
	if err == io.EOF {
		err = f.log.wrap(ErrChanged)
	}
	return err
}

// signal wakes all who wait for something to happen.
type signal struct {
	mu sync.Mutex
	ch chan struct{}
}

// next is closed by the next send.
func (s *signal) next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch == nil {
		s.ch = make(chan struct{})
	}
	return s.ch
}

func (s *signal) send() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch != nil {
		close(s.ch)
		s.ch = nil
	}
}

// poll notices changes by other processes until stop is called. One goroutine
// does so for all followers of a log.
func (l *Log) poll() (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pollers++; l.pollers == 1 {
		l.stopPoll = make(chan struct{})
		go l.pollFile(l.stopPoll)
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.pollers--; l.pollers == 0 {
			close(l.stopPoll)
		}
	}
}

func (l *Log) pollFile(stop <-chan struct{}) {
	tick := time.NewTicker(l.options.Poll)
	defer tick.Stop()
	var before fs.FileInfo
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		st, err := os.Stat(l.path)
		if err != nil || before == nil || mayDiffer(before, st) {
			l.changes.send()
		}
		before = st
	}
}

// mayDiffer reports whether a file may have changed between two polls.
// Comparing sizes is not enough: a record can be as long as the torn one that
// it replaces. Comparing times is not enough either: if the first poll came
// just after a change, the next change may have the same time.
func mayDiffer(before, now fs.FileInfo) bool {
	return now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime()) || !os.SameFile(before, now) ||
		time.Since(now.ModTime()) < time.Second
}
