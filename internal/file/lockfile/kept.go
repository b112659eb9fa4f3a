package lockfile

import (
	"context"
	"time"

	"handoff/internal/file/nofollow"
)

// Kept is a lock file that stays open between locks, for those who take it all
// the time: opening it costs several times what locking does. It excludes
// whoever else locks the file, by [Lock] too, but not a second user of the same
// value. The zero value with a path is ready.
type Kept struct {
	Root nofollow.Root
	Path string
	// Flock is flock(2), but in tests of file systems that do not share locks.
	Flock func(fd, how int) error
	kept

	grace time.Duration // in place of graceTime, in tests
}

// Lock waits until it holds the file, which it creates if need be. unlock is as
// that of the function [Lock].
func (k *Kept) Lock(ctx context.Context) (unlock func() error, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for wait := poll(ctx); ; {
		switch held, err := k.try(ctx); {
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
		defer func() { wait = min(2*wait, time.Millisecond) }()
		return pause(ctx, wait)
	}
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
