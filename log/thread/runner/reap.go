package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/log/thread"
)

// Live are the recorded runs, the oldest first. Some may have been killed: see
// [Reap].
func Live(store *thread.Store, folder string) ([]Record, error) {
	var all []Record
	err := each(rootOf(store), folder, ".json", func(f files) error {
		r, err := f.read()
		if isMissing(err) {
			return nil // it has just ended
		}
		if err == nil {
			all = append(all, r)
		}
		return err
	})
	slices.SortStableFunc(all, func(a, b Record) int { return a.StartedAt.Compare(b.StartedAt) })
	return all, err
}

// each calls do for the runs that have a file with an ending.
func each(root nofollow.Root, folder, ending string, do func(files) error) error {
	entries, err := os.ReadDir(filepath.Join(folder, "runs"))
	if isMissing(err) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ending); ok && thread.CheckID(id) == nil {
			f := files{root, filepath.Join(folder, "runs", id)}
			if err := do(f); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", f.stem, err))
			}
		}
	}
	return errors.Join(errs...)
}

// Reap ends the runs whose process was killed, and returns them. It reads the
// records, not the threads. A run that cannot be ended is in the error, and is tried
// again the next time.
func Reap(ctx context.Context, store *thread.Store, folder string, now time.Time) (killed []Record, err error) {
	err = each(rootOf(store), folder, ".json", func(f files) error {
		r, ok, err := reap(ctx, store, f)
		if ok {
			killed = append(killed, r)
		}
		return err
	})
	return killed, errors.Join(err, sweep(rootOf(store), folder, now))
}

func reap(ctx context.Context, store *thread.Store, f files) (r Record, killed bool, err error) {
	unlock, free, err := f.tryLock()
	if err != nil || !free {
		return r, false, err
	}
	h := &hold{f, unlock}
	r, err = f.read()
	if err == nil {
		var reason string
		if err = storeEnd(ctx, store, f, r); err == nil {
			reason, err = closeRun(ctx, store, r, Killed)
		}
		killed = err == nil && reason == Killed
		if isMissing(err) { // killed before it was started, or the thread was deleted
			err = nil
		}
	} else if isMissing(err) { // it has just ended
		err = nil
	}
	if err != nil {
		return r, false, errors.Join(err, h.unlock())
	}
	return r, killed, h.release()
}

// orphanAge is the age at which a file without a record is removed: a run that is
// starting has a lock before it has a record.
const orphanAge = time.Hour

// sweep removes files that killed processes have left without a record.
func sweep(root nofollow.Root, folder string, now time.Time) error {
	remove := func(f files, path string) error {
		if _, err := os.Lstat(f.record()); !isMissing(err) {
			return err
		}
		if st, err := os.Lstat(path); err != nil || now.Sub(st.ModTime()) < orphanAge {
			return nil
		}
		return f.remove(path)
	}
	return errors.Join(
		each(root, folder, ".lock", func(f files) error { return remove(f, f.lock()) }),
		each(root, folder, ".cancel", func(f files) error { return remove(f, f.cancel()) }),
		each(root, folder, ".events", func(f files) error { return remove(f, f.events()) }),
		each(root, folder, ".end", func(f files) error { return remove(f, f.end()) }))
}
