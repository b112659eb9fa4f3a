package workspace

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"handoff/internal/file/lockfile"
	"handoff/internal/state"
)

// Locked runs f while no other goroutine or process of ours writes to the
// workspace.
func (w *Workspace) Locked(ctx context.Context, f func() error) error {
	for !w.writing.TryLock() { // another goroutine has it: no need to try the file
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	defer w.writing.Unlock()
	dir, err := w.CreateStateDir()
	if err != nil {
		return err
	}
	unlock, err := lockfile.Lock(ctx, w.Trusted(), filepath.Join(dir, state.Lock))
	if err != nil {
		return err
	}
	return errors.Join(f(), unlock())
}
