package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"sync"
	"time"
)

// pollEvery is how long it takes at most to notice what other processes have
// appended. One goroutine asks for all who follow a journal.
const pollEvery = 50 * time.Millisecond

// Follow goes through the records from a position on, waiting for more at the
// end: appends by this process are seen at once, those of others in about
// 50 ms. It ends, with the context's error, when the context does; with
// [ErrChanged] if the file is no longer what was read; with fs.ErrClosed after
// Close. A position beyond the end waits for it.
//
// It reads from the file at the pace of its caller. Nothing is queued, and
// writers do not wait for it.
func (j *Journal) Follow(ctx context.Context, pos uint64) iter.Seq2[Record, error] {
	return j.follow(ctx, follower{journal: j, from: pos})
}

// FollowBehind is Follow from the record behind one that was read before: with
// [ErrChanged] if that one does not stand in its place any more, so that nobody
// goes on in another file, or waits there for a position that it has not.
func (j *Journal) FollowBehind(ctx context.Context, rec Record) iter.Seq2[Record, error] {
	return j.follow(ctx, follower{journal: j, from: rec.Pos + 1, behind: &rec})
}

func (j *Journal) follow(ctx context.Context, f follower) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		f := f // this walk's own
		stop := j.poll()
		defer stop()
		for {
			changed := j.changes.next() // before looking, so as to miss nothing
			if more, err := f.read(ctx, yield); !more || err != nil {
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

// follower is the place that a Follow has come to.
type follower struct {
	journal *Journal
	from    uint64  // records before it are not served
	behind  *Record // nil, or the one before it
	log     *logFile
	seen    seen
}

// read serves all that is there. more is false if the caller has had enough.
func (f *follower) read(ctx context.Context, yield func(Record, error) bool) (more bool, err error) {
	j := f.journal
	if j.isClosed() {
		return false, fmt.Errorf("%s: %w", j.path, fs.ErrClosed)
	}
	if f.log == nil {
		if err := f.begin(); err != nil {
			return false, err
		}
	}
	log, size, err := j.current() // after that, or it could be less
	if err != nil {
		return false, err
	}
	if f.log != log || !f.seen.guard.holds(log, size) {
		return false, fmt.Errorf("%s: %w", j.path, ErrChanged)
	}
	w := j.walkFrom(log, f.seen, size)
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		s, ok, err := w.read()
		if err != nil || !ok || s.fragment {
			return true, errors.Join(err, f.reached(w))
		}
		if s.pos >= f.from && !yield(s.record(), nil) {
			return false, nil
		}
	}
}

// begin finds the place: by the index, or where the record before it stands.
func (f *follower) begin() (err error) {
	j := f.journal
	if f.behind == nil {
		f.log, f.seen, err = j.index.before(f.from)
		return err
	}
	log, size, err := j.current()
	if err != nil {
		return err
	}
	start, end := f.behind.Offset, f.behind.Offset+int64(len(f.behind.Line))
	if size < end {
		return fmt.Errorf("%s: %w", j.path, ErrChanged)
	}
	if line, err := readLine(log, start, end); err != nil || !bytes.Equal(line, f.behind.Line) {
		return fmt.Errorf("%s: %w", j.path, errors.Join(err, ErrChanged))
	}
	before := f.behind.Pos - j.format.First
	f.log, f.seen = log, seen{records: before, lines: int64(before)}
	f.seen.guard, err = guardAt(log, start) // it is read once more, as its line may have had no end
	return err
}

// reached notes how far the walk has come.
func (f *follower) reached(w *walk) (err error) {
	if w.next != f.seen.guard.end {
		f.seen.records, f.seen.lines = w.pos-f.journal.format.First, w.line
		f.seen.guard, err = guardAt(f.log, w.next)
	}
	if err == io.EOF {
		err = fmt.Errorf("%s: %w", f.journal.path, ErrChanged)
	}
	return err
}

// before is the state of a reader that has seen all records before pos, or
// all there are.
func (x *index) before(pos uint64) (log *logFile, s seen, err error) {
	first := x.journal.format.First
	err = x.askAnyway(func(error) error {
		if log, s = x.log, x.seen; x.loose != nil {
			s = *x.loose
		}
		if i := max(pos, first) - first; i < s.records {
			offset, err := x.offset(i)
			if err != nil {
				return err
			}
			s.records, s.lines = i, int64(i)
			s.guard, err = guardAt(x.log, offset)
			return err
		}
		return nil
	})
	return log, s, err
}

// signal wakes all who wait for something to happen.
type signal struct {
	mu sync.Mutex
	ch chan struct{}
}

// next is closed the next time that something happens.
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

// poll sees to it that changes by others are noticed, until stop is called.
func (j *Journal) poll() (stop func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.pollers++; j.pollers == 1 {
		j.stopPoll = make(chan struct{})
		go j.watchFile(j.stopPoll)
	}
	return func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.pollers--; j.pollers == 0 {
			close(j.stopPoll)
		}
	}
}

// watchFile tells of every change of the file, and of its end.
func (j *Journal) watchFile(stop <-chan struct{}) {
	tick := time.NewTicker(j.between)
	defer tick.Stop()
	var was fs.FileInfo
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		st, err := os.Stat(j.path)
		if err != nil || was == nil || mayDiffer(was, st) {
			j.changes.send()
		}
		was = st
	}
}

// mayDiffer says whether a file may have changed between two looks. The size
// does not tell it alone: a record can be as long as the torn one that it
// takes the place of. Nor does the time, if the first look came so soon after
// a change that the next one got the same time.
func mayDiffer(was, is fs.FileInfo) bool {
	return is.Size() != was.Size() || !is.ModTime().Equal(was.ModTime()) || !os.SameFile(was, is) ||
		time.Since(is.ModTime()) < time.Second
}
