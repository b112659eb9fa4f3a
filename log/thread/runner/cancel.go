package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"handoff/log/thread"
)

// cancelEvery is how often a run checks whether it was cancelled.
const cancelEvery = 100 * time.Millisecond

// Cancel cancels a run of any process of this machine, and waits for its end. If it
// is not running it is fs.ErrNotExist.
func Cancel(ctx context.Context, store *thread.Store, folder, runID string) error {
	if err := thread.CheckID(runID); err != nil {
		return err
	}
	f := filesOf(store, folder, runID)
	r, err := f.read()
	if isMissing(err) {
		return fmt.Errorf("run %s is not running here: %w", runID, fs.ErrNotExist)
	}
	if err != nil {
		return err
	}
	asked, err := f.root.OpenFile(f.cancel(), os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	asked.Close()
	for {
		unlock, free, err := f.tryLock()
		if err != nil {
			return err
		}
		if free {
			unlock()
			_, _, err = reap(ctx, store, f)
			return errors.Join(err, f.remove(f.cancel()))
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("run %s was asked to end but is still running (pid %d): %w", runID, r.PID, ctx.Err())
		case <-time.After(cancelEvery / 4):
		}
	}
}
