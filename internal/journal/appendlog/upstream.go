package appendlog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"handoff/internal/file/atomicfile"
)

// Upstream has the records of a log before its file has them: the file is a copy.
// An append goes upstream first and then to the file. So a crash between the two
// leaves a file that lacks the last records, never one that has more than
// upstream; the next append or fetch adds them.
type Upstream interface {
	// CatchUp adds the records to the file that it lacks, and returns how many lines
	// it has then. It creates the file; without a log upstream the error is
	// fs.ErrNotExist. The caller has locked the log.
	CatchUp(ctx context.Context) (lines uint64, err error)

	// Fetch is CatchUp for a caller that has not locked the log.
	Fetch(ctx context.Context) error

	// Watch fetches records as they are appended upstream, until the context ends.
	Watch(ctx context.Context)

	// Append adds records to a log of that length, with 0 to one that does not
	// exist. The error for any other length is [ErrConflict], and for records that it
	// cannot take at once [ErrTooLarge]; ErrUnknown is as for [Log.Append].
	Append(ctx context.Context, length uint64, records [][]byte) error
}

// writeThrough is writeAll for a log with an upstream. Requests are composed again
// after each conflict, so that each decides on all records before its own, by
// whichever machine.
func (l *Log) writeThrough(ctx context.Context, batch []*request) {
	ctx = context.WithoutCancel(ctx) // the context of one of them; the upstream bounds the time
	var w written
	defer func() { l.commit(&w) }()
	most := len(batch)
	for len(batch) > 0 {
		length, t, err := l.caughtUp(ctx)
		if err != nil {
			fail(batch, err)
			return
		}
		if w.file != nil && w.file != t.file {
			l.commit(&w)
		}
		n, b := l.fill(batch[:min(most, len(batch))], t.next)
		switch err = l.sendUp(ctx, length, b); {
		case errors.Is(err, ErrConflict):
			again(batch[:n])
			continue
		case errors.Is(err, ErrTooLarge) && n > 1: // one of them, or only all together
			again(batch[:n])
			most = 1
			continue
		case err != nil:
			fail(batch[:n], err)
		case len(b.data) > 0:
			// A failure here does not fail the append: the file lacks the records until
			// it catches up.
			l.put(&w, t, nil, b)
		}
		batch = batch[n:]
	}
}

// caughtUp is the end of the file, which has all records of upstream.
func (l *Log) caughtUp(ctx context.Context) (length uint64, t tail, err error) {
	if length, err = l.options.Upstream.CatchUp(ctx); err == nil {
		t, err = l.ready()
	}
	return length, t, err
}

// again forgets the results of requests that will be composed again.
func again(requests []*request) {
	for _, r := range requests {
		r.first, r.err, r.panicked = 0, nil, nil
	}
}

// sendUp appends the lines of a block upstream.
func (l *Log) sendUp(ctx context.Context, length uint64, b block) error {
	if len(b.data) == 0 {
		return nil
	}
	records, data := make([][]byte, len(b.records)), b.data
	for i, r := range b.records {
		records[i], data = data[:r.Bytes-1], data[r.Bytes:]
	}
	return l.options.Upstream.Append(ctx, length, records)
}

// createThrough is the end of Create for a log with an upstream.
func (l *Log) createThrough(ctx context.Context, b block, mode fs.FileMode) error {
	ctx, up := context.WithoutCancel(ctx), l.options.Upstream
	if len(b.data) == 0 {
		return l.wrap(errors.New("a log without records cannot be created in the store"))
	}
	err := l.sendUp(ctx, 0, b)
	if errors.Is(err, ErrConflict) { // it exists upstream: have it here, too
		if err = up.Fetch(ctx); err == nil {
			err = &fs.PathError{Op: "create", Path: l.path, Err: fs.ErrExist}
		}
	}
	if err != nil {
		return err
	}
	err = atomicfile.Create(l.options.Root, l.path, b.data, mode)
	if errors.Is(err, fs.ErrExist) { // another process has fetched it
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: only the store has them: %w", ErrUnknown, err)
	}
	return nil
}

// Fetch brings the file up to date with its upstream, if it has one, and creates
// it. Without a log upstream the error is fs.ErrNotExist.
func (l *Log) Fetch(ctx context.Context) error {
	if l.options.Upstream == nil {
		return &fs.PathError{Op: "open", Path: l.path, Err: fs.ErrNotExist}
	}
	return l.options.Upstream.Fetch(ctx)
}

// watch fetches what is appended upstream while a reader follows the file, until stop
// is called.
func (l *Log) watch(ctx context.Context) (stop func()) {
	if l.options.Upstream == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.options.Upstream.Watch(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// unsynced replaces the flush to the disk of a file that is a copy.
func unsynced(*os.File) error { return nil }
