package threads

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"handoff/log/thread"
)

// Repair repairs a thread and its runs, or all threads, runs and tasks if id is "": see
// [thread.Store.Repair]. emit is called for each that was damaged. One that cannot be
// repaired does not keep it from the others.
func (t *Threads) Repair(ctx context.Context, id string, emit func(thread.Repaired)) error {
	if id != "" {
		return t.repairThread(ctx, id, emit)
	}
	var failed []error
	for _, kind := range []thread.StreamKind{thread.Continuity, thread.Session, thread.Task} {
		ids, err := t.StreamFiles(kind)
		failed = append(failed, err)
		for _, id := range ids {
			failed = append(failed, t.repair(ctx, kind, id, emit))
		}
	}
	return errors.Join(failed...)
}

// repairThread repairs a thread, and then the runs of the events that are left.
func (t *Threads) repairThread(ctx context.Context, id string, emit func(thread.Repaired)) error {
	gone := false
	err := t.repair(ctx, thread.Continuity, id, func(r thread.Repaired) {
		gone = r.Events == 0
		emit(r)
	})
	if err != nil || gone {
		return err
	}
	var failed []error
	for e, err := range t.Events(id, 0) {
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		run, ok := e.Payload.(*thread.RunSpawned)
		if !ok {
			continue
		}
		if err := t.repair(ctx, thread.Session, run.RunSessionID, emit); !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// repair is [thread.Store.Repair] with paths below the workspace.
func (t *Threads) repair(ctx context.Context, kind thread.StreamKind, id string, emit func(thread.Repaired)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r, ok, err := t.Store.Repair(ctx, kind, id)
	if ok {
		r.Path, r.Aside = t.rel(r.Path), t.rel(r.Aside)
		emit(r)
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %w", kind, id, err)
	}
	return err
}
