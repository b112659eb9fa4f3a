package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Hurry returns a context in which requests to a store are given up after some time, for
// callers that can queue the request or do without it. It is a value, not a deadline,
// because a write must not be interrupted between the store and the copy. Code that
// knows where an interruption is safe calls [InTime].
func Hurry(ctx context.Context, most time.Duration) context.Context {
	return context.WithValue(ctx, hurry{}, hurry{time.Now().Add(most), most})
}

// hurry is the value, and its own key.
type hurry struct {
	until time.Time
	most  time.Duration
}

// InTime calls do with a context that ends after the time of [Hurry], if that was called.
// The error is then ErrUnavailable, or what do reports about a write.
func InTime(ctx context.Context, do func(context.Context) error) error {
	h, ok := ctx.Value(hurry{}).(hurry)
	if !ok {
		return do(ctx)
	}
	limited, cancel := context.WithDeadline(ctx, h.until)
	defer cancel()
	err := do(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil && !errors.Is(err, ErrUnknown) && !errors.Is(err, ErrUnavailable) {
		return fmt.Errorf("%w: no answer within %v", ErrUnavailable, h.most)
	}
	return err
}
