// Package journal finds records in append-only files of lines: by position,
// number, key, list and mark. Package appendlog, below it, appends, repairs and
// follows such files; this package adds the index.
//
// # Files
//
//	NAME        the records; see package appendlog for NAME.lock and NAME.torn-…
//	NAME.idx/   the index; may be deleted at any time
//
// The package does not know what lines mean: see [Format].
package journal

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/journal/appendlog"
)

// The types of package appendlog that callers need.
type (
	Format      = appendlog.Format
	Facts       = appendlog.Facts
	Mark        = appendlog.Mark
	Line        = appendlog.Line
	Record      = appendlog.Record
	Torn        = appendlog.Torn
	Expect      = appendlog.Expect
	DamageError = appendlog.DamageError
	Upstream    = appendlog.Upstream
)

// Unnumbered is [appendlog.Unnumbered].
const Unnumbered = appendlog.Unnumbered

// The errors of package appendlog.
var (
	ErrConflict = appendlog.ErrConflict
	ErrUnknown  = appendlog.ErrUnknown
	ErrTooLarge = appendlog.ErrTooLarge
	ErrNoRecord = appendlog.ErrNoRecord
	ErrChanged  = appendlog.ErrChanged
)

// Interrupted is [appendlog.Interrupted].
func Interrupted(text []byte) bool { return appendlog.Interrupted(text) }

// Any is [appendlog.Any].
func Any() Expect { return appendlog.Any() }

// At is [appendlog.At].
func At(next uint64) Expect { return appendlog.At(next) }

// Settled is [appendlog.Settled].
func Settled() Expect { return appendlog.Settled() }

// Final is [appendlog.Final].
func Final() Expect { return appendlog.Final() }

// Lines is [appendlog.Lines].
func Lines(texts [][]byte) []Line { return appendlog.Lines(texts) }

// Options have useful zero values; those without a comment are described at
// [appendlog.Options].
type Options struct {
	MaxLine int
	Batch   time.Duration
	Root    nofollow.Root
	Mode    fs.FileMode
	Healed  func(Torn)
	// Upstream, if not nil, makes the journal a copy of a log that is elsewhere.
	Upstream Upstream
	// Progress reports how much of the journal is indexed, in bytes, if building
	// the index takes more than a moment. It is called by one goroutine at a
	// time, for which the caller of the query waits.
	Progress func(done, total int64)

	sync  func(*os.File) error
	flock func(fd, how int) error
	poll  time.Duration
}

func (o Options) log() appendlog.Options {
	return appendlog.Options{MaxLine: o.MaxLine, Batch: o.Batch, Root: o.Root, Mode: o.Mode, Healed: o.Healed, Upstream: o.Upstream, Poll: o.poll, Sync: o.sync, Flock: o.flock}
}

// Journal is an open journal. Its methods may be called by many goroutines.
type Journal struct {
	log     *appendlog.Log
	format  Format
	options Options
	index   index
}

// Create creates a journal with these records: all of them, flushed to the
// disk, or no file at all. If the path exists it fails with fs.ErrExist and
// changes nothing, also when several processes try at once.
// ctx is for the upstream, whose write it does not interrupt.
func Create(ctx context.Context, path string, format Format, options Options, records []Line) (*Journal, error) {
	if err := newJournal(path, format, options).log.Create(ctx, records); err != nil {
		return nil, err
	}
	return Open(ctx, path, format, options)
}

// Open opens an existing journal; it fails with fs.ErrNotExist if there is none.
// It reads nothing yet, but fetches a journal that only its upstream has. A
// journal without write permission can still be read.
func Open(ctx context.Context, path string, format Format, options Options) (*Journal, error) {
	j := newJournal(path, format, options)
	_, _, err := j.log.Current()
	if options.Upstream != nil && errors.Is(err, fs.ErrNotExist) {
		if err = j.log.Fetch(ctx); err == nil {
			_, _, err = j.log.Current()
		}
	}
	if err != nil {
		return nil, err
	}
	return j, nil
}

func newJournal(path string, format Format, options Options) *Journal {
	j := &Journal{format: format, options: options}
	return j.over(appendlog.New(path, format, options.log(), appendlog.Index{Next: j.index.nextNumber, Appended: j.index.appended}))
}

// over completes a journal with the log that it is an index of.
func (j *Journal) over(log *appendlog.Log) *Journal {
	j.log = log
	x := &j.index
	x.log, x.format, x.progress = log, &j.format, j.options.Progress
	x.shelf, x.lag = shelf{log.Beside(), log.Path() + ".idx"}, lagBytes
	return j
}

// Path is the file's absolute path.
func (j *Journal) Path() string { return j.log.Path() }

// Append is [appendlog.Log.Append].
func (j *Journal) Append(ctx context.Context, expect Expect, build func(next uint64) ([]Line, error)) (first uint64, err error) {
	return j.log.Append(ctx, expect, build)
}

// SetAside is [appendlog.Log.SetAside].
func (j *Journal) SetAside(ctx context.Context) (Torn, error) { return j.log.SetAside(ctx) }

// Sound is the journal without the damage and what follows it: its queries answer for the
// records before. The caller closes it.
func (j *Journal) Sound() (*Journal, error) {
	s, err := Open(context.Background(), j.Path(), j.format, j.options)
	if err == nil {
		s.index.sound = true
	}
	return s, err
}

// Flush is [appendlog.Log.Flush].
func (j *Journal) Flush() error { return j.log.Flush() }

// Follow yields the records from a position on, and waits for more: see
// [appendlog.Log.Follow].
func (j *Journal) Follow(ctx context.Context, pos uint64) iter.Seq2[Record, error] {
	return j.log.Follow(ctx, pos, func() (*appendlog.File, appendlog.Place, error) { return j.index.placeOf(pos) })
}

// FollowAfter is [appendlog.Log.FollowAfter].
func (j *Journal) FollowAfter(ctx context.Context, rec Record) iter.Seq2[Record, error] {
	return j.log.FollowAfter(ctx, rec)
}

// Close waits for the append in progress and flushes what a batch has not
// flushed yet. Appends and followers end with fs.ErrClosed.
func (j *Journal) Close() error {
	j.index.stopTending()
	return j.log.Close()
}
