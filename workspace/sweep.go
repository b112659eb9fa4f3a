package workspace

import (
	"context"
	"errors"
	"path/filepath"

	"handoff"
	"handoff/artifact"
	"handoff/internal/file/atomicfile"
)

// sweep takes away what killed processes left in the places we write to, and
// returns the tasks in which it ended what one of them had begun.
func (w *Workspace) sweep(ctx context.Context, tasks []string) (ended []string) {
	for _, task := range tasks {
		dir := filepath.Join(w.Root, filepath.FromSlash(task))
		var unfinished []string
		for _, below := range []string{"", handoff.Folder, "progress"} {
			unfinished = append(unfinished, atomicfile.Sweep(w.Trusted(), filepath.Join(dir, below))...)
		}
		if len(unfinished) == 0 {
			continue
		}
		// What cannot be ended stays, and says so when its file is written.
		w.Locked(ctx, func() error { return w.end(task, unfinished) })
		ended = append(ended, task)
	}
	return ended
}

// sweepOwn takes away what killed processes left in the folders that are ours
// alone.
func (w *Workspace) sweepOwn() {
	for _, dir := range []string{artifact.Blobs, StateDir, StateDir + "/threads", StateDir + "/sessions", StateDir + "/tasks"} {
		atomicfile.Sweep(w.Trusted(), filepath.Join(w.Root, filepath.FromSlash(dir)))
	}
}

// end ends exchanges of killed processes. The lock must be held.
func (w *Workspace) end(task string, unfinished []string) error {
	var errs error
	for _, path := range unfinished {
		if err := atomicfile.Finish(w.Trusted(), path); !w.kept.note(task, err) {
			errs = errors.Join(errs, err)
		}
	}
	return errs
}
