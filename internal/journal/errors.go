package journal

import (
	"errors"
	"fmt"
)

// An append has three results: nil, the records are in the journal and, with
// the default options, on the disk; ErrUnknown, they may be or not; any other
// error, [ErrConflict] among them, and none of them is there.
var (
	// ErrConflict: the next number was not the one that the caller expected.
	// The error that wraps it is a [ConflictError].
	ErrConflict = errors.New("the journal has new records")

	// ErrUnknown: writing failed after bytes may have reached the file, and
	// they could not be taken back. The caller has to look again: what it
	// finds is there, what it does not find may be written again.
	ErrUnknown = errors.New("unknown whether the records were written")

	// ErrNoRecord: the journal is sound and has no such record.
	ErrNoRecord = errors.New("no such record")

	// ErrChanged ends a [Journal.Follow]: the file was cut short or replaced
	// by another, and what was read from it before may be there no more.
	ErrChanged = errors.New("the journal was cut or replaced")
)

// ConflictError tells what the next number was in truth.
type ConflictError struct{ Expected, Next uint64 }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%v: the next number is %d, not %d", ErrConflict, e.Next, e.Expected)
}

func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// DamageError says where a strict journal stops being one. Nothing from that
// line on is served, and nothing repairs it but its owner.
type DamageError struct {
	Path   string
	Line   int64 // from 1
	Offset int64 // of the line's first byte
	Err    error // what is wrong with the line
}

func (e *DamageError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }

func (e *DamageError) Unwrap() error { return e.Err }

// errNotBegun is the damage of a journal that has lost its first record.
var errNotBegun = errors.New("no complete record is left of it")

// lineTooLongError stands for a line that is not held in memory to be read.
type lineTooLongError struct{ length, most int64 }

func (e *lineTooLongError) Error() string {
	return fmt.Sprintf("a line of %d bytes, at most %d are read", e.length, e.most)
}
