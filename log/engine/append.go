package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// Budget is how long [Append] retries. It is longer than a cluster takes to elect a
// leader, 4 to 9 s.
const Budget = 15 * time.Second

// pause is the time between two attempts.
const pause = 250 * time.Millisecond

// Append appends to logs, and finds out what happened if the engine does not know: it
// reads the logs at the places where the records should be. If they are there, they
// were written. If other records are there, it is a conflict. If there are none, it
// tries again with the same expected lengths, so a late write of the first attempt
// can only make the second one a conflict, which is then examined in the same way.
//
// The records of different writers must differ, for example by an id or the time and
// the name of the writer: equal records are treated as the caller's own.
//
// ErrUnknown and ErrUnavailable are returned only when the budget is used up, the
// context ends, or the time of [Hurry] is over. An error that wraps ErrUnknown may be
// about an earlier attempt.
func Append(ctx context.Context, logs Logs, budget time.Duration, batches ...Batch) error {
	return InTime(ctx, func(ctx context.Context) error { return appendWithin(ctx, logs, budget, batches) })
}

func appendWithin(caller context.Context, logs Logs, budget time.Duration, batches []Batch) error {
	ctx, cancel := context.WithTimeout(caller, budget)
	defer cancel()
	var unknown error // an earlier attempt that may have written the records
	for {
		err := logs.Append(ctx, batches...)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, ErrUnknown):
			unknown = err
			if done, err := settled(ctx, logs, batches, nil); done {
				return err
			}
		case errors.Is(err, ErrConflict) && unknown != nil:
			if done, err := settled(ctx, logs, batches, err); done {
				return err
			}
		case errors.Is(err, ErrUnavailable):
		case unknown != nil:
			return fmt.Errorf("%w, and then: %w", unknown, err)
		case caller.Err() == nil && errors.Is(err, context.DeadlineExceeded): // the budget ended before the engine was asked
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		default:
			return err
		}
		select {
		case <-ctx.Done():
			if unknown != nil && !errors.Is(err, ErrUnknown) {
				return fmt.Errorf("%w, and then: %w", unknown, err)
			}
			return err
		case <-time.After(pause):
		}
	}
}

// settled looks at the logs after an attempt whose outcome is unknown, and after a
// conflict if there was one. done: the outcome is err, and no other attempt is needed.
func settled(ctx context.Context, logs Logs, batches []Batch, conflict error) (done bool, err error) {
	ours, err := landed(ctx, logs, batches)
	switch {
	case ours:
		return true, nil
	case errors.Is(err, ErrConflict):
		return true, err
	case err != nil: // the store cannot be read now
		return false, nil
	}
	// Nothing is where the records of the first batch should be. So a conflict is one
	// that no attempt can avoid, unless it is with records that cannot be read yet.
	var c *ConflictError
	if errors.As(conflict, &c) && (c.Log != batches[0].Log || c.Len < c.Expected) {
		return true, conflict
	}
	return false, nil
}

// landed reports whether the logs have the records of all batches at the expected
// places. A log that has other records there is a ConflictError. All batches are
// written or none, so the first one decides.
func landed(ctx context.Context, logs Logs, batches []Batch) (bool, error) {
	b := batches[0]
	n := 0
	for record, err := range logs.Read(ctx, b.Log, b.Expected) {
		if err != nil {
			return false, err
		}
		if !bytes.Equal(record.Data, b.Records[n]) {
			length, err := logs.Len(ctx, b.Log)
			if err != nil {
				return false, err
			}
			return false, &ConflictError{b.Log, b.Expected, length}
		}
		if n++; n == len(b.Records) {
			return true, nil
		}
	}
	return false, nil
}
