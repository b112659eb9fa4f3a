package appendlog

import (
	"bytes"
	"errors"
	"fmt"
)

// An append has three outcomes. nil: the records are in the log and, with the
// default options, flushed to the disk. ErrUnknown: they may or may not be in
// the log. Any other error, such as [ErrConflict]: none of them is.
var (
	// ErrConflict: the next number was not the one that the caller expected.
	// The error that wraps it contains both.
	ErrConflict = errors.New("the journal has new records")

	// ErrUnknown: writing failed after bytes may have reached the file, and they could
	// not be removed. The caller must read the log: records that are there were written,
	// and others may be written again.
	ErrUnknown = errors.New("unknown whether the records were written")

	// ErrTooLarge: the upstream takes only shorter records, or fewer at once.
	ErrTooLarge = errors.New("too large for one append")

	// ErrNoRecord: the log is intact and has no such record.
	ErrNoRecord = errors.New("no such record")

	// ErrChanged ends a [Log.Follow]: the file was truncated or replaced, and
	// the records read from it may no longer exist.
	ErrChanged = errors.New("the journal was cut or replaced")
)

// DamageError locates the damage in a strict log. Nothing from that line on is
// served, and only its owner can repair it.
type DamageError struct {
	Path   string
	Line   int64  // from 1
	Offset int64  // of the line's first byte
	Err    error  // the problem of the line
	Repair string // what to type, "" if unknown

	torn bool // an interrupted write may have caused it, if it is the last line
}

func (e *DamageError) Error() string {
	if e.Repair != "" {
		return fmt.Sprintf("%s:%d: %v (%s)", e.Path, e.Line, e.Err, e.Repair)
	}
	return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err)
}

func (e *DamageError) Unwrap() error { return e.Err }

// errNotUTF8 is the problem of a line in which bytes were changed: logs have JSON, and encoding/json
// replaces such bytes without an error.
var errNotUTF8 = errors.New("not UTF-8")

// errNotBegun is the damage of a log that has lost its first record.
var errNotBegun = errors.New("no complete record is left of it")

// lineTooLongError replaces a line that is too long to be held in memory.
type lineTooLongError struct{ length, most int64 }

func (e *lineTooLongError) Error() string {
	return fmt.Sprintf("a line of %d bytes, at most %d are read", e.length, e.most)
}

// misnumberedError is the one problem of a strict log's line that no torn write
// can cause.
type misnumberedError struct{ number, expected uint64 }

func (e *misnumberedError) Error() string {
	return fmt.Sprintf("the record has number %d, expected %d", e.number, e.expected)
}

// Interrupted reports whether a last line that has its end may be what an interrupted write
// left all the same: nothing, or NUL bytes for what did not reach the disk.
func Interrupted(text []byte) bool {
	return len(bytes.TrimSpace(text)) == 0 || bytes.IndexByte(text, 0) >= 0
}

// looksTorn reports whether an interrupted write may have caused the problem of
// a strict log's last line: a power failure can leave anything before a newline.
func (f *Format) looksTorn(l line, err error) bool {
	if f.Whole && (l.tooLong || !Interrupted(l.text)) {
		return false
	}
	return !errors.As(err, new(*misnumberedError))
}
