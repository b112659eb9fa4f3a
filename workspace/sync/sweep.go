package sync

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/file/atomicfile"
	"handoff/internal/state"
	"handoff/log/artifact"
)

// Sweep removes what killed processes left in the folders of tasks, and returns the
// tasks in which it completed an exchange of files that one of them had begun.
func (s *Syncer) Sweep(ctx context.Context, tasks []string) (ended []string) {
	scratch := atomicfile.SweepScratch(s.Trusted())
	for _, task := range tasks {
		dir := filepath.Join(s.Root, filepath.FromSlash(task))
		var unfinished []string
		for _, below := range []string{"", handoff.Folder, "progress"} {
			unfinished = append(unfinished, atomicfile.Sweep(s.Trusted(), filepath.Join(dir, below))...)
			for file, some := range scratch {
				if filepath.Dir(file) == filepath.Join(dir, below) {
					unfinished = append(unfinished, some...)
				}
			}
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

// SweepOwn removes what killed processes left in the folders that only we write, and
// completes their exchanges of documents in other folders than those of tasks.
func (s *Syncer) SweepOwn(ctx context.Context) {
	var unfinished []string
	for file, some := range atomicfile.SweepScratch(s.Trusted()) {
		if isMarkdown(s.Trusted().Rel(file)) {
			unfinished = append(unfinished, some...)
		}
	}
	if len(unfinished) > 0 {
		_ = s.Locked(ctx, func() error { return s.end("", unfinished) }) // what fails is tried again
	}
	folders, _ := state.Checked()
	for _, dir := range append(folders, artifact.Blobs) {
		atomicfile.Sweep(s.Trusted(), filepath.Join(s.Root, filepath.FromSlash(dir)))
	}
}

// isMarkdown reports whether a path is that of a Markdown file outside of git's folders,
// where a branch may have such a name.
func isMarkdown(rel string) bool {
	return strings.HasSuffix(rel, ".md") && !slices.ContainsFunc(strings.Split(rel, "/"), func(name string) bool { return strings.EqualFold(name, ".git") })
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
