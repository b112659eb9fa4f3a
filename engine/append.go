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

// Append appends to logs, and finds out what happened if the engine does not know:
// it reads what the logs have where the records should be. All records there: they
// were written. Other records there: a conflict. None there: it tries again, with
// the same expected lengths, so a late write of the first attempt can only make the
// second one a conflict, which is then looked at in the same way.
//
// The records of different writers must differ, for example by an id or the time
// and the name of the writer: equal records are taken for the caller's own.
//
// ErrUnknown and ErrUnavailable are returned only when the budget is used up.
func Append(ctx context.Context, logs Logs, budget time.Duration, batches ...Batch) error {
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	unknown := false // an earlier attempt may have written the records
	for {
		err := logs.Append(ctx, batches...)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, ErrUnknown), errors.Is(err, ErrConflict) && unknown:
			unknown = true
			ours, lookErr := landed(ctx, logs, batches)
			if ours {
				return nil
			}
			if errors.Is(lookErr, ErrConflict) {
				return lookErr
			}
			if lookErr == nil && errors.Is(err, ErrConflict) {
				return err // of another log, so no attempt can succeed
			}
		case errors.Is(err, ErrUnavailable):
		default:
			return err
		}
		select {
		case <-ctx.Done():
			if unknown {
				return fmt.Errorf("%w: %w", ErrUnknown, err)
			}
			return err
		case <-time.After(pause):
		}
	}
}

// landed says whether the logs have the records of all batches at the places where
// they belong. A log that has other records there is a ConflictError. All batches
// are written or none, so the first one decides.
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
