package daemon

import (
	"context"
	"errors"
	"fmt"

	"handoff/watch"
	"handoff/workspace"
	"handoff/workspace/documents"
)

// Written is a document outside of task folders that was written, or got another content.
type Written struct {
	documents.Entry
	SHA256 string // of its bytes, in lowercase hex
}

// elsewhere remembers the documents outside of task folders. They have no metadata to
// bring up to date, so a watch only reports new versions.
type elsewhere struct {
	sums    documents.Sums
	of      map[string]string // SHA-256 by path, "" for one that cannot be read
	problem string            // the last one that was reported
}

// look returns the documents that were written since the last look, in the order of their
// paths. The error names what cannot be read.
func (s *elsewhere) look(ctx context.Context, w *workspace.Workspace) (written []Written, unread error) {
	fail := func(path string, err error) error {
		unread = errors.Join(unread, fmt.Errorf("%s: %w", path, workspace.Reason(err)))
		return nil
	}
	paths, err := w.Elsewhere(ctx, fail)
	if err != nil {
		return nil, err
	}
	of := make(map[string]string, len(paths))
	for _, path := range paths {
		sum, changed, err := s.sums.Of(w, path)
		if changed.IsZero() {
			continue // removed since it was listed
		}
		if err != nil {
			unread = errors.Join(unread, err)
		}
		if of[path] = sum; sum != "" && sum != s.of[path] {
			written = append(written, Written{documents.EntryAt(w, path), sum})
		}
	}
	s.of = of
	return written, unread
}

// lookElsewhere checks the documents outside of task folders, and reports new
// versions if tell is set. A problem is reported once.
func (d *daemon) lookElsewhere(ctx context.Context, tell bool) {
	written, err := d.elsewhere.look(ctx, d.Workspace)
	if ctx.Err() != nil {
		return
	}
	d.status.outside(len(d.elsewhere.of))
	at := d.Now()
	for _, one := range written {
		if tell && d.req.Wrote != nil {
			d.talk(func() { d.req.Wrote(at, one) })
		}
	}
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	if problem != d.elsewhere.problem && problem != "" {
		d.talk(func() { d.req.Say(problem) })
	}
	d.elsewhere.problem = problem
}

// changed handles what the watcher reported.
func (d *daemon) changed(tasks []string) error {
	if len(tasks) > 0 && tasks[0] == watch.Elsewhere { // the sets are sorted
		d.lookElsewhere(context.Background(), true) // also after the end of the watch, like tasks
		tasks = tasks[1:]
	}
	d.status.queued(len(tasks) + d.later.size())
	d.watcher.Done() // they are in the queue
	if len(tasks) == 0 {
		return nil
	}
	if err := d.reconcile(tasks); err != nil {
		return err
	}
	d.tidyLater(tasks)
	return nil
}
