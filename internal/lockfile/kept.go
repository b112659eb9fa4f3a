package lockfile

import (
	"context"
	"time"
)

// Kept is a lock file that stays open between locks, for those who take it all
// the time: opening it costs several times what locking does. It excludes
// whoever else locks the file, by [Lock] too, but not a second user of the same
// value. The zero value with a path is ready.
type Kept struct {
	Path string
	kept
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
