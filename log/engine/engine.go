// Package engine is the contract between what handoff stores and the places that
// can store it: the files of a workspace, a git remote, a JetStream cluster.
//
// An engine stores logs and blobs. A log is an append-only sequence of records; a
// thread, a tape, the receipts of a handoff are one log each. A blob is immutable
// and named by the SHA-256 of its bytes. A claim needs no type of its own: it is a
// step in the log of its handoff, and package receipt decides on it. Claims are
// safe because an append can depend on the length of the log.
//
// Package enginetest has the tests that each engine must pass.
//
// The package does not know what records mean.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
)

// The outcomes of an append besides nil. Each other error means that nothing was
// written.
var (
	// ErrConflict: a log has other records than the caller expected. The error that
	// wraps it is a [ConflictError].
	ErrConflict = errors.New("the log has new records")

	// ErrUnknown: the answer did not come, so the records may have been written or
	// not, or may still be. The caller reads the end of the log and compares: see
	// [Append].
	ErrUnknown = errors.New("unknown whether the records were written")

	// ErrUnavailable: the engine cannot be reached, or too few of its nodes can. The
	// same request may succeed later.
	ErrUnavailable = errors.New("the store cannot be reached")

	// ErrTooLarge: the engine has a limit for a record, or for all of an append.
	ErrTooLarge = errors.New("too large for the store")

	// ErrUnsupported: the engine has no such operation, and will never have.
	ErrUnsupported = errors.New("not supported by this store")
)

// ConflictError reports the length of a log to which nothing was appended.
type ConflictError struct {
	Log      string
	Expected uint64
	Len      uint64
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s: %v: %d, not %d", e.Log, ErrConflict, e.Len, e.Expected)
}

func (e *ConflictError) Unwrap() error { return ErrConflict }

// ForbiddenError reports that the store can be read, and refuses what this user writes. Another
// attempt will not help him.
type ForbiddenError struct {
	Store string // its address
	Why   string // in the words of the store
}

func (e *ForbiddenError) Error() string {
	return fmt.Sprintf("%s: it refuses what you write: %s (get the right to push there; or in .handoff.yaml, for all, `store: git:REMOTE` with a remote to which all may push, "+
		"or in this clone alone `store: files`, with which others do not see your claims)", e.Store, e.Why)
}

// Batch is an append to one log.
type Batch struct {
	Log string
	// Expected is the number of records that the log must have before the append.
	// With 0 the append creates the log.
	Expected uint64
	// Records are lines of text without a newline; none is empty.
	Records [][]byte
}

// Info describes a log.
type Info struct {
	Log string
	Len uint64 // number of records
	// Tail are the last records of the log, in order and without gaps, where
	// [Changer.Changes] had them at hand. [Logs.Read] has all.
	Tail []Record
}

// Logs are the logs of one workspace.
//
// The name of a log is a path with forward slashes, such as
// "threads/0198c5f2-….jsonl": [CheckLog] has the rules. No log's name is the folder of
// another log. The records of a log are numbered from 0, without gaps, in all engines
// alike, so that a copy of a log has the same numbers.
//
// Any number of goroutines and processes may use the same logs.
type Logs interface {
	// Append adds the records of all batches, or nothing. Each batch is for another
	// log; what [Check] refuses is ErrInvalid. It returns when the records are
	// durable. An engine that cannot write to several logs at once returns
	// ErrUnsupported for more than one batch. The slices stay the caller's.
	Append(ctx context.Context, batches ...Batch) error

	// Len is the number of records of a log, 0 if there is no such log. It includes
	// each append that had returned before the call, by whatever process.
	Len(ctx context.Context, log string) (uint64, error)

	// Read returns the records of a log from a number on, with the numbers, and ends
	// at the last one that there was when it began. The slices are the caller's.
	// It includes each append that had returned before the call.
	Read(ctx context.Context, log string, from uint64) iter.Seq2[Record, error]

	// Watch is Read, but continues with records as they are appended, until the
	// context ends or until an error, which it returns last. Reconnecting is the
	// engine's task; ErrUnavailable ends a watch only after a long time.
	Watch(ctx context.Context, log string, from uint64) iter.Seq2[Record, error]

	// List returns the logs whose names begin with a prefix, in the order of their
	// names. A [ForeignError] is about one log, and the list continues; any other error
	// ends it.
	List(ctx context.Context, prefix string) iter.Seq2[Info, error]
}

// Changer is implemented by engines that know what changed without listing all logs.
type Changer interface {
	// Changes is List for the logs that may have changed since a revision, which is
	// what another call with the same prefix returned as now. With any other text, such
	// as "", it lists all logs. What it leaves out has the length that it had then.
	Changes(ctx context.Context, prefix, since string) (changed []Info, now string, err error)
}

// Changes calls the engine's Changes. If the engine has none, it lists all logs, and
// now is "".
func Changes(ctx context.Context, logs Logs, prefix, since string) (changed []Info, now string, err error) {
	if c, ok := logs.(Changer); ok {
		return c.Changes(ctx, prefix, since)
	}
	for info, err := range logs.List(ctx, prefix) {
		if Foreign(err) != nil {
			continue // a store check reports it
		}
		if err != nil {
			return nil, "", err
		}
		changed = append(changed, info)
	}
	return changed, "", nil
}

// Record is a record of a log.
type Record struct {
	Number uint64
	Data   []byte
}

// Blobs are immutable and named by the SHA-256 of their bytes, in 64 lowercase
// hexadecimal digits; any other id is ErrInvalid. All methods of an engine without blobs return ErrUnsupported.
type Blobs interface {
	// Put stores a blob, unless it exists. It checks that the bytes hash to the
	// id: others never become visible under it, and the error is
	// handoff/log/artifact's MismatchError. size is the number of bytes; if from has
	// another number of them, that is an error, too.
	Put(ctx context.Context, id string, size int64, from io.Reader) (created bool, err error)

	// Get opens a blob. The error for one that is missing is fs.ErrNotExist. Reading
	// reports an error if the bytes do not have the id.
	Get(ctx context.Context, id string) (io.ReadCloser, error)

	// Has reports whether a blob is stored completely.
	Has(ctx context.Context, id string) (bool, error)

	// IDs returns the ids of all blobs, in order.
	IDs(ctx context.Context) iter.Seq2[string, error]
}

// Engine is a place for logs and blobs.
type Engine interface {
	Logs
	Blobs
	// Name is the address of the store, without credentials, for messages:
	// "nats://host:4222/STREAM", "git:origin".
	Name() string
	Close() error
}
