// Package journal keeps append-only files of lines: one record a line, each
// with its number, in plain text that any tool can read.
//
// An append waits for the disk, takes its turn among the processes of the
// machine, and may be made to depend on the number that comes next. Writers
// that are killed, and disks that are full, leave a torn last line at worst;
// the next append keeps it aside and heals the file. Any other damage is an
// error that names the line, and is never repaired in silence.
//
// # Files
//
//	NAME                  the records
//	NAME.lock             held by the process that appends; never taken away
//	NAME.torn-OFFSET-N    what was cut off the end, one file each time
//	NAME.idx/             the index; may be deleted at any time
//
// # Numbers and positions
//
// The first record has the position [Format.First], and positions rise by one
// from line to line: all that reads a journal speaks of positions. In a strict
// journal a record's number is its position. In a tolerant one the number is a
// label that a line bears, which other programs may have given twice or out
// of order, and a line that cannot be read has neither number nor position.
//
// # What it relies on, and what it does not do
//
// A local file system, on which flock works and an append to a file is one
// step. Several records of one append are one write, but a power failure may
// keep the first of them only. Readers take no lock: they may see a record a
// moment before it is on the disk. Programs that do not know the lock may
// append to a tolerant journal as long as each does so by one write.
//
// The package knows lines, not what they mean: see [Format].
package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/lockfile"
	"handoff/internal/file/nofollow"
)

// Format says what a line is.
type Format struct {
	// Version changes whenever Read tells something else of the same line than
	// it did: an index made by another version is made anew.
	Version int

	// First is the position of the first record: 0 or 1.
	First uint64

	// Read tells what the journal must know of a line, given without its line
	// end. It is pure, keeps nothing of the slice, and may be called by many
	// goroutines at once. Its error is damage in a strict journal, and a line
	// to pass over in a tolerant one. It should accept what a newer version of
	// a program may write: an unreadable last line counts as torn.
	Read func(line []byte) (Facts, error)

	// Begun journals are created with their first record, all or nothing. So no
	// writer of theirs can leave a first line that is torn: one that is, or is
	// missing, is damage, and nothing is cut off or appended.
	Begun bool

	// Tolerant journals pass over lines that cannot be read and keep them byte
	// for byte; the next number is the largest that was seen, plus one. In a
	// strict journal the record at position k bears the number k, and anything
	// else is damage.
	Tolerant bool

	// Plain is for tolerant journals whose lines bear no numbers. An append does
	// not have to read what others have appended to learn the next number: what
	// its build is given and what it returns means nothing.
	Plain bool
}

// Facts are what can be known of a record without reading it again.
type Facts struct {
	Number uint64
	// Keys are what the record can be found by: an id, "run:ID". Many records
	// have few of them in common.
	Keys []string
	// Lists are the lists on which it stands: "message", "checkpoint". Few
	// different ones in a whole journal; each becomes a file.
	Lists []string
	// Marks are numbers by which it can be found, also by those that come near.
	Marks []Mark
}

// Unnumbered is the number of a line that bears none, which only tolerant
// journals have: its position is its number then.
const Unnumbered = math.MaxUint64

// Options have useful zero values.
type Options struct {
	// MaxLine is the most bytes of one record; 0 stands for 16 MiB.
	MaxLine int
	// Batch, if not 0, lets appends return before their records are on the
	// disk, which then happens within this time, or at Flush or Close. A power
	// failure can take back what was said to be done; a killed process cannot.
	Batch time.Duration
	// Root is the trusted folder that the journal is below: no link is followed
	// from there on. Without it the user has named the path, whose own links are
	// followed; those of the files beside the journal are not.
	Root nofollow.Root
	// Mode of a journal that is created; 0 stands for 0o644. The index and
	// what is kept aside are no more open than the journal.
	Mode fs.FileMode
	// Progress is told how far the making of the index is, in bytes of the
	// journal, if that is more than a moment's work; by one goroutine at a
	// time, which whoever has asked waits for.
	Progress func(done, total int64)
	// Healed is told of a torn last line that was cut off and kept.
	Healed func(Torn)
}

// Torn is what a killed writer or a full disk left at the end of a journal.
type Torn struct {
	Aside  string // the file that keeps it
	Offset int64  // where it began in the journal
	Bytes  int64
}

const defaultMaxLine = 16 << 20

func (o Options) maxLine() int {
	if o.MaxLine == 0 {
		return defaultMaxLine
	}
	return o.MaxLine
}

// Record is a line of the journal.
type Record struct {
	Pos    uint64 // its address
	Number uint64 // what the line says; the same as Pos in a strict journal
	Offset int64  // of its first byte
	Line   []byte // without the line end; the caller's to keep
}

// Journal is an open journal. Its methods may be called by many goroutines.
type Journal struct {
	path    string
	format  Format
	options Options
	log     atomic.Pointer[logFile]
	fixed   bool // to that file: see [Snapshot]
	changes signal

	turn     chan struct{} // holds a value while someone writes for all who wait
	tail     tail          // belongs to whoever has the turn
	buf      []byte        // likewise
	crowd    int           // likewise: how many were written together
	locked   lockfile.Kept // likewise
	flusher  flusher
	mu       sync.Mutex
	waiting  []*request
	closed   bool
	pollers  int           // who follow
	between  time.Duration // between two looks while somebody follows
	stopPoll chan struct{}
	tending  sync.WaitGroup
	syncFile func(*logFile) error // datasync, but in tests of failing disks

	index index
}

// Create makes a journal that begins with the given records: all of them, on
// the disk, or no file at all. Where the path is taken it fails with
// fs.ErrExist and changes nothing, also when several processes try at once.
func Create(path string, format Format, options Options, records [][]byte) (*Journal, error) {
	j := newJournal(path, format, options)
	data, _, err := j.join(nil, format.First, records)
	if err != nil {
		return nil, err
	}
	mode := options.Mode
	if mode == 0 {
		mode = 0o644
	}
	if err := atomicfile.Create(j.options.Root, j.path, data, mode); err != nil {
		return nil, err
	}
	return Open(path, format, options)
}

// Open opens a journal that is there; else it fails with fs.ErrNotExist. It
// reads nothing yet. A journal that may not be written can still be read.
func Open(path string, format Format, options Options) (*Journal, error) {
	j := newJournal(path, format, options)
	if _, _, err := j.current(); err != nil {
		return nil, err
	}
	return j, nil
}

func newJournal(path string, format Format, options Options) *Journal {
	if abs, err := filepath.Abs(path); err == nil { // the process may change its folder
		path = abs
	}
	j := &Journal{path: path, format: format, options: options, between: pollEvery, turn: make(chan struct{}, 1), syncFile: (*logFile).datasync}
	j.locked.Root, j.locked.Path = j.beside(), path+".lock"
	j.index.journal, j.index.shelf, j.index.lag = j, shelf{j.beside(), path + ".idx"}, lagBytes
	return j
}

// beside is the trusted folder of the files that come with the journal.
func (j *Journal) beside() nofollow.Root {
	if j.options.Root == nofollow.Named {
		return nofollow.Root(filepath.Dir(j.path))
	}
	return j.options.Root
}

// Path is the file's absolute path.
func (j *Journal) Path() string { return j.path }

// Close waits for the append that is under way and flushes what a batch still
// owes the disk. Appends and followers end with fs.ErrClosed.
func (j *Journal) Close() error {
	j.mu.Lock()
	again := j.closed
	j.closed = true
	j.mu.Unlock()
	if again {
		return fs.ErrClosed
	}
	j.changes.send()
	j.turn <- struct{}{}
	err := errors.Join(j.flush(), j.locked.Close())
	<-j.turn
	j.tending.Wait()
	return errors.Join(err, j.log.Load().Close())
}

func (j *Journal) isClosed() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.closed
}

// lock takes the turn among processes, for the holder of that in this one.
func (j *Journal) lock(ctx context.Context) (unlock func() error, err error) {
	if j.isClosed() {
		return nil, fmt.Errorf("%s: %w", j.path, fs.ErrClosed)
	}
	unlock, err = j.locked.Lock(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.path, err)
	}
	return unlock, nil
}
