package lockfile

import (
	"context"
	"errors"
	"time"

	"handoff/internal/file/nofollow"
)

// Kept is a lock file that stays open between locks, for callers that lock it very
// often: opening takes several times as long as locking. It excludes all others that
// lock the file, also with [Lock], but not a second user of the same value. The zero
// value with a path is ready to use.
type Kept struct {
	Root nofollow.Root
	Path string
	// Flock replaces flock(2) in tests of file systems that do not share locks.
	Flock func(fd, how int) error
	kept

	grace time.Duration // instead of graceTime, in tests
}

// Lock is the function [Lock] for this file.
func (k *Kept) Lock(ctx context.Context) (unlock func() error, err error) {
	begin := time.Now()
	for wait := 50 * time.Microsecond; ; wait = min(2*wait, time.Millisecond) {
		ended := ctx.Err()
		if errors.Is(ended, context.Canceled) {
			return nil, ended
		}
		switch held, err := k.try(ctx); {
		case err != nil:
			return nil, err
		case held:
			return k.unlock, nil
		case ended != nil:
			return nil, ended
		}
		if err := k.waited(ctx, begin); err != nil {
			return nil, err
		}
		pause(ctx, wait)
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
