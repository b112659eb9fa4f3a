package appendlog

import (
	"io/fs"
	"math"
	"os"
	"time"

	"handoff/internal/file/nofollow"
)

// Format describes the lines of a log.
type Format struct {
	// Version must change whenever Read returns something else for the same
	// line: an index built with another version is rebuilt.
	Version int

	// First is the position of the first record: 0 or 1.
	First uint64

	// Read returns the facts of a line, passed without its newline. It must be
	// pure and keep no part of the slice; many goroutines call it at once. Its
	// error is damage in a strict log, and a line to skip in a tolerant one. It
	// should accept what a newer version of a program may write: an unreadable
	// last line counts as torn.
	Read func(line []byte) (Facts, error)

	// Begun logs are created with their first record, all or nothing, so no
	// writer can leave a torn first line: a first line that is torn or missing
	// is damage, and nothing is cut off or appended.
	Begun bool

	// Whole strict logs have records that cannot be had again, and nothing may be
	// acknowledged that cannot be read: an append refuses a log that is damaged
	// anywhere, as far as the index knows. Of a last line that cannot be read they
	// count as torn only what an interrupted write leaves: no line end, a blank line or
	// NUL bytes. Any other is damage.
	Whole bool

	// Repair, if not "", is what to type against damage.
	Repair string

	// Tolerant logs skip lines that cannot be read and preserve them byte for
	// byte; the next number is the largest one seen, plus one. In a strict log
	// the record at position k has the number k; anything else is damage.
	Tolerant bool

	// AnyBytes logs have lines of other programs that read them with U+FFFD for what is not
	// UTF-8. In others such a line is damage, even if Read accepts it.
	AnyBytes bool

	// Plain is for tolerant logs whose lines have no numbers. An append then
	// need not read what others have appended. The number passed to its build
	// and the one that it returns mean nothing.
	Plain bool
}

// Facts are what an index needs to know of a record.
type Facts struct {
	Number uint64
	// Keys find the record: an id, "run:ID". Few records share a key.
	Keys []string
	// Lists contain the record: "message", "checkpoint". A log has few
	// different lists; each becomes a file of the index.
	Lists []string
	// Marks find the record by a number, or by the nearest number.
	Marks []Mark
}

// Mark is a named number that finds a record, such as how far a summary
// reaches.
type Mark struct {
	Name  string
	Value uint64
}

// Unnumbered is the number of a line without one. Only tolerant logs have such
// lines; the record's number is then its position.
const Unnumbered = math.MaxUint64

// Line is a line to append.
type Line struct {
	Text []byte // without the newline
	// Facts, if not nil, are what [Format.Read] would return for Text, which is
	// then not parsed again.
	Facts *Facts
}

// Lines are lines whose facts the log has to read.
func Lines(texts [][]byte) []Line {
	lines := make([]Line, len(texts))
	for i, text := range texts {
		lines[i].Text = text
	}
	return lines
}

// Options have useful zero values.
type Options struct {
	// MaxLine is the maximum size of a record in bytes; 0 means 16 MiB.
	MaxLine int
	// Batch, if not 0, lets appends return before their records are flushed to
	// the disk. That happens within this time, or at Flush or Close. A power
	// failure can then lose acknowledged records; a killed process cannot.
	Batch time.Duration
	// Root is the trusted folder that the log is below: no symlink is followed
	// from there on. If it is empty, the user has named the path: its own
	// symlinks are followed, those of the files next to the log are not.
	Root nofollow.Root
	// Mode of a log that is created; 0 means 0o644. The files next to the log
	// are at most as accessible as the log.
	Mode fs.FileMode
	// Healed is called after a torn last line was cut off and saved.
	Healed func(Torn)
	// Upstream, if not nil, is where appends go first: the file is a copy. Batch
	// then has no effect, and the file is not flushed.
	Upstream Upstream

	// Poll is how often a followed file is checked for appends by other
	// processes; 0 means 50 ms.
	Poll time.Duration
	// Sync flushes the file to the disk; nil means fdatasync. Flock is flock(2)
	// if nil. Tests of failing disks and of unshared locks replace them.
	Sync  func(*os.File) error
	Flock func(fd, how int) error
}

// Torn is what a killed writer or a full disk left at the end of a log.
type Torn struct {
	Aside  string // the file that contains it now
	Offset int64  // where it began in the log
	Bytes  int64
}

const defaultMaxLine = 16 << 20

func (o Options) maxLine() int {
	if o.MaxLine == 0 {
		return defaultMaxLine
	}
	return o.MaxLine
}

// Record is a line of the log.
type Record struct {
	Pos    uint64 // its address
	Number uint64 // what the line contains; equal to Pos in a strict log
	Offset int64  // of its first byte
	Line   []byte // without the newline; the caller may keep it
}
