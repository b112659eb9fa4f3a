// Package appendlog appends lines to a file, reads them and follows it: one
// record a line, each with its number, in plain text that any tool can read.
//
// An append is flushed to the disk before it returns, takes its turn among the
// processes of the machine, and can depend on the next number. A killed writer
// or a full disk leaves at most a torn last line; the next append moves it to a
// file of its own and repairs the log. Any other damage is an error with the
// line number, and is never repaired silently.
//
// # Files
//
//	NAME                  the records
//	NAME.lock             locked by the process that appends; never deleted
//	NAME.torn-OFFSET-N    what was cut off the end, one file each time
//
// # Numbers and positions
//
// The first record has the position [Format.First], and positions rise by one
// from line to line. In a strict log a record's number is its position. In a
// tolerant one the number is a label on the line, which other programs may have
// used twice or out of order, and a line that cannot be read has neither number
// nor position.
//
// # Limits
//
// It needs a local file system with a working flock and atomic appends. Several
// records of one append are one write, but a power failure may leave only the
// first of them. Readers take no lock: they may see a record a moment before it
// is flushed. Programs that do not know the lock may append to a tolerant log,
// if each append is one write.
//
// The package cannot find a record by its number, key or list: package journal,
// on top of it, has the index.
package appendlog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/lockfile"
	"handoff/internal/file/nofollow"
)

// Log is an open log. Its methods may be called by many goroutines.
type Log struct {
	path    string
	format  Format
	options Options
	index   Index
	file    atomic.Pointer[File]
	pinned  bool // to that file: see [Log.Pinned]
	changes signal

	turn     chan struct{} // holds a value while one goroutine writes for all that wait
	tail     tail          // used only in a turn
	last     tail          // the tail that was found or written last, even if tail is not valid any longer
	buf      block         // likewise: its memory is reused
	crowd    int           // likewise: how many requests were written together
	lock     lockfile.Kept // likewise
	flusher  flusher
	mu       sync.Mutex
	waiting  []*request
	closed   bool
	pollers  int // followers
	stopPoll chan struct{}
}

// Index is what a log reads from an index of its records, and reports to it.
type Index struct {
	// Next returns the largest number plus one. Only tolerant logs that are not
	// plain need it.
	Next func() (uint64, error)
	// Appended, if not nil, is called after each write, before the flush, while
	// the log is locked. It must not keep Records.
	Appended func(Appended)
}

// Appended is a write to the end of a log.
type Appended struct {
	File    *File
	Start   int64 // offset of the first line
	Records []Written
	End     Guard
}

// Written is a record that was written.
type Written struct {
	Facts Facts
	Bytes int // with the newline
}

// New returns a log whose file need not exist yet.
func New(path string, format Format, options Options, index Index) *Log {
	if abs, err := filepath.Abs(path); err == nil { // the process may change its folder
		path = abs
	}
	if options.Upstream != nil { // which has the records on its disks
		options.Sync, options.Batch = unsynced, 0
	}
	if options.Sync == nil {
		options.Sync = datasync
	}
	if options.Poll == 0 {
		options.Poll = 50 * time.Millisecond
	}
	l := &Log{path: path, format: format, options: options, index: index, turn: make(chan struct{}, 1)}
	l.lock.Root, l.lock.Path, l.lock.Flock = l.Beside(), path+".lock", options.Flock
	return l
}

// Create writes a file with these records: all of them, flushed to the disk, or
// no file at all. If the path exists it fails with fs.ErrExist and changes
// nothing, also when several processes try at once.
// ctx is for the upstream, whose write it does not interrupt.
func (l *Log) Create(ctx context.Context, records []Line) error {
	b := block{next: l.format.First}
	if err := l.join(&b, records); err != nil {
		return err
	}
	mode := l.options.Mode
	if mode == 0 {
		mode = 0o644
	}
	if l.options.Upstream != nil {
		return l.createThrough(ctx, b, mode)
	}
	return atomicfile.Create(l.options.Root, l.path, b.data, mode)
}

// Pinned returns a log that reads only this open file, whatever is at the path.
// Nothing can be appended to it.
func (l *Log) Pinned(file *File) *Log {
	pinned := New(l.path, l.format, l.options, Index{})
	pinned.file.Store(file)
	pinned.pinned = true
	return pinned
}

// IsPinned reports whether the log was returned by [Log.Pinned].
func (l *Log) IsPinned() bool { return l.pinned }

// Beside is the trusted folder of the files next to the log.
func (l *Log) Beside() nofollow.Root {
	if l.options.Root == nofollow.Named {
		return nofollow.Root(filepath.Dir(l.path))
	}
	return l.options.Root
}

// Path is the file's absolute path.
func (l *Log) Path() string { return l.path }

// Busy counts the appends that wait and the readers that follow.
func (l *Log) Busy() (appends, followers int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting), l.pollers
}

// Current returns the file that is at the path now, and its size. A replaced
// file is not closed here, because a goroutine may be reading it. The garbage
// collector closes it after the last reader.
func (l *Log) Current() (*File, int64, error) {
	f := l.file.Load()
	if f != nil {
		stat := f.Stat
		if !l.pinned {
			stat = func() (fs.FileInfo, error) { return os.Stat(l.path) }
		}
		st, err := stat()
		if err != nil {
			return nil, 0, err
		}
		if os.SameFile(st, f.info) {
			return f, st.Size(), nil
		}
	}
	fresh, err := openFile(l.options.Root, l.path)
	if err != nil {
		return nil, 0, err
	}
	if !l.file.CompareAndSwap(f, fresh) {
		fresh.Close() // another goroutine was faster
		return l.Current()
	}
	return fresh, fresh.info.Size(), nil
}

// Close waits for the append in progress and flushes what a batch has not
// flushed yet. Appends and followers end with fs.ErrClosed.
func (l *Log) Close() error {
	l.mu.Lock()
	again := l.closed
	l.closed = true
	l.mu.Unlock()
	if again {
		return fs.ErrClosed
	}
	l.changes.send()
	l.turn <- struct{}{}
	err := errors.Join(l.Flush(), l.lock.Close())
	<-l.turn
	return errors.Join(err, l.file.Load().Close())
}

func (l *Log) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// acquire takes the lock among processes, for the goroutine whose turn it is.
func (l *Log) acquire(ctx context.Context) (unlock func() error, err error) {
	if l.isClosed() {
		return nil, l.wrap(fs.ErrClosed)
	}
	unlock, err = l.lock.Lock(ctx)
	if err != nil {
		return nil, l.wrap(err)
	}
	return unlock, nil
}

// wrap adds the path to an error.
func (l *Log) wrap(err error) error { return fmt.Errorf("%s: %w", l.path, err) }
