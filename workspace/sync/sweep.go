package sync

import (
	"context"
	"errors"
	"path/filepath"

	"handoff"
	"handoff/artifact"
	"handoff/internal/file/atomicfile"
	"handoff/workspace"
)

// Sweep removes what killed processes left in the folders of tasks, and returns the
// tasks in which it completed an exchange of files that one of them had begun.
func (s *Syncer) Sweep(ctx context.Context, tasks []string) (ended []string) {
	for _, task := range tasks {
		dir := filepath.Join(s.Root, filepath.FromSlash(task))
		var unfinished []string
		for _, below := range []string{"", handoff.Folder, "progress"} {
			unfinished = append(unfinished, atomicfile.Sweep(s.Trusted(), filepath.Join(dir, below))...)
		}
		if len(unfinished) == 0 {
			continue
		}
		// What fails here is tried again, and reported, when its file is written.
		s.Locked(ctx, func() error { return s.end(task, unfinished) })
		ended = append(ended, task)
	}
	return ended
}

// SweepOwn removes what killed processes left in the folders that only we write.
func (s *Syncer) SweepOwn() {
	for _, dir := range []string{artifact.Blobs, workspace.StateDir, workspace.StateDir + "/threads", workspace.StateDir + "/sessions", workspace.StateDir + "/tasks"} {
		atomicfile.Sweep(s.Trusted(), filepath.Join(s.Root, filepath.FromSlash(dir)))
	}
}

// end completes exchanges of killed processes. The lock must be held.
func (s *Syncer) end(task string, unfinished []string) error {
	var errs error
	for _, path := range unfinished {
		if err := atomicfile.Finish(s.Trusted(), path); !s.SetAside.Note(task, err) {
			errs = errors.Join(errs, err)
		}
	}
	return errs
}
