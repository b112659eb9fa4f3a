package lockfile

import (
	"context"
	"time"

	"handoff/internal/nofollow"
)

// Kept is a lock file that stays open between locks, for those who take it all
// the time: opening it costs several times what locking does. It excludes
// whoever else locks the file, by [Lock] too, but not a second user of the same
// value. The zero value with a path is ready.
type Kept struct {
	Root nofollow.Root
	Path string
	kept
}

// Lock waits until it holds the file, which it makes if need be.
func (k *Kept) Lock(ctx context.Context) (unlock func() error, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for wait := poll(ctx); ; {
		switch held, err := k.try(); {
		case err != nil:
			return nil, err
		case held:
			return k.unlock, nil
		}
		if err := wait(); err != nil {
			return nil, err
		}
	}
}

// poll returns a function that waits between two tries, at first very shortly.
func poll(ctx context.Context) func() error {
	wait := 50 * time.Microsecond
	return func() error {
		t := time.NewTimer(wait)
		defer t.Stop()
		wait = min(2*wait, time.Millisecond)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
			return nil
		}
	}
}
