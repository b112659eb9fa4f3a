package workspace

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"time"

	"handoff/artifact"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/lockfile"
	"handoff/reconcile"
	"handoff/task"
)

// SyncRequest says which tasks to bring up to date, and how.
type SyncRequest struct {
	Tasks  []string // folders below the root; none: all of them
	DryRun bool     // plan only

	Moved map[string]string // documents that are known to have been renamed: the new path by the old
	Fresh []string          // documents that were written just now: metadata is made for them where there is none

	Progress func(done, all int) // is told after each task; nil: nobody
}

// Synced is what became of a task.
type Synced struct {
	Plan      reconcile.Plan
	Documents int          // of the task, linked or not
	Later     bool         // nothing was done yet: a document is being written
	Threads   []TaskThread // that were made, or with DryRun would be
	Err       error

	chain []chained
	fresh []string // see [reconcile.State]
}

// Empty reports whether nothing was to be done. Problems do not count.
func (s *Synced) Empty() bool { return s.Plan.Empty() && len(s.Threads) == 0 }

// quiet reports whether there is nothing to say of a task.
func (s *Synced) quiet() bool {
	return s.Err == nil && s.Empty() && len(s.Plan.Problems) == 0
}

// conflicts bounds how often a task is planned again because somebody else
// wrote meanwhile.
const conflicts = 50

// Sync brings metadata, progress files and bundles of the tasks up to date, and
// hands on, in the order of their paths, what it did for each task that has a
// change or a problem. Where no task is named, links out of the workspace in the
// place of task folders follow. Before, it takes away what killed processes left.
func (w *Workspace) Sync(ctx context.Context, req SyncRequest, emit func(Synced) error) error {
	look, err := w.tasksAndStore(ctx, req.Tasks)
	if err != nil {
		return err
	}
	defer look.store.Close()
	tasks := look.tasks
	if err := w.CheckFolders(); err != nil {
		return err
	}
	if !req.DryRun {
		w.sweep(ctx, tasks)
		w.sweepOwn()
	}
	s := syncer{Workspace: w, store: look.store, dry: req.DryRun, moved: req.Moved}
	s.fresh = func(reconcile.State) (fresh, create []string) { return req.Fresh, req.Fresh }
	defer s.threads.close()
	done := 0
	err = s.all(ctx, tasks, func(s Synced) error {
		if done++; req.Progress != nil {
			req.Progress(done, len(tasks))
		}
		if s.quiet() {
			return nil
		}
		return emit(s)
	})
	if err != nil {
		return err
	}
	for _, link := range look.links {
		if out := LeadsOut(w.Trusted(), w.Full(link)); out != nil {
			problem := reconcile.Problem{Path: link, Text: Reason(out).Error() + ": left alone"}
			if err := emit(Synced{Plan: reconcile.Plan{Dir: link, Problems: []reconcile.Problem{problem}}}); err != nil {
				return err
			}
		}
	}
	return look.unread
}

// syncer reconciles tasks.
type syncer struct {
	*Workspace
	store *artifact.Store
	dry   bool
	moved map[string]string                              // see [SyncRequest]
	fresh func(reconcile.State) (fresh, create []string) // see [reconcile.State]
	skip  func(reconcile.State) bool                     // leaves a task for later; nil: none

	blobs   *artifact.Opened // while there are many tasks
	cache   *reconcile.Cache // for those who look at tasks again and again; nil: none
	threads openThreads
}

// task reconciles one task. Our own processes take turns by a lock; others
// know none, so what they write meanwhile makes us plan again.
func (s *syncer) task(ctx context.Context, load *reconcile.Loader, dir string) Synced {
	return s.finished(ctx, s.plan(ctx, load, dir))
}

// finished makes the threads of a task that is up to date, and says what was
// kept aside.
func (s *syncer) finished(ctx context.Context, one Synced) Synced {
	if s.Config.Threads && one.Err == nil && !one.Later {
		s.thread(ctx, &one)
	}
	one.Plan.Problems = append(one.Plan.Problems, s.kept.problems(s.Root, one.Plan.Dir)...)
	return one
}

func (s *syncer) plan(ctx context.Context, load *reconcile.Loader, dir string) Synced {
	for range conflicts {
		one, ready := s.look(load, dir)
		if !ready {
			return one
		}
		err := s.Locked(ctx, func() error { return s.apply(one.Plan) })
		s.kept.note(dir, err)
		if !errors.Is(err, reconcile.ErrChanged) {
			one.Err = err
			return one
		}
	}
	return Synced{Plan: reconcile.Plan{Dir: dir}, Err: fmt.Errorf("%s: other processes keep writing it: try again", dir)}
}

// look plans what must change in a task. It reports whether there is something
// to apply.
func (s *syncer) look(load *reconcile.Loader, dir string) (one Synced, ready bool) {
	state, err := s.LoadTask(load, s.store, dir)
	if err != nil {
		return Synced{Plan: reconcile.Plan{Dir: dir}, Err: err}, false
	}
	one.Documents, state.Moved = len(state.Documents), s.moved
	state.Fresh, state.Create = s.fresh(state)
	one.fresh, state.Threads = state.Fresh, s.Config.Threads
	if !s.Config.CreateMetadata {
		state.Create = nil
	}
	if s.blobs != nil {
		state.Missing = s.blobs.Missing
	}
	if s.skip != nil && s.skip(state) {
		one.Plan.Dir, one.Later = dir, true
		return one, false
	}
	one.Plan = reconcile.Make(state)
	if s.Config.Threads {
		one.chain = chainOf(state, one.Plan)
	}
	return one, !s.dry && !one.Plan.Empty()
}

// apply makes the changes of a plan. The lock must be held.
func (s *syncer) apply(p reconcile.Plan) error {
	if err := s.clear(p); err != nil {
		return err
	}
	return reconcile.Apply(s.Root, s.store, p)
}

// clear looks whether a plan still holds. Where a killed process left a file
// with another writer's content out of its place, that comes first: what we
// would write is not made of it. The lock must be held.
func (s *syncer) clear(p reconcile.Plan) error {
	for _, w := range p.Writes {
		dir := filepath.Join(s.Root, filepath.FromSlash(path.Dir(w.Path)))
		if unfinished := atomicfile.Sweep(s.Trusted(), dir); len(unfinished) > 0 {
			if err := s.end(p.Dir, unfinished); err != nil {
				return err
			}
			return reconcile.ErrChanged
		}
	}
	if s.collected(p) {
		return reconcile.ErrChanged
	}
	return nil
}

// collected reports whether a bundle that the plan found in the store, and will
// be the first to name, is gone: an old one that nothing names yet is garbage
// to those who had the lock before us.
func (s *syncer) collected(p reconcile.Plan) bool {
	made := make(map[artifact.ID]bool, len(p.Blobs))
	for _, b := range p.Blobs {
		made[b.ID] = true
	}
	var found []artifact.ID
	for _, l := range p.Links {
		if !made[l.ID] {
			found = append(found, l.ID)
		}
	}
	return len(found) > 0 && len(s.store.Missing(found)) > 0
}

// locked runs f while no other goroutine or process of ours writes to the
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
	unlock, err := lockfile.Lock(ctx, w.Trusted(), filepath.Join(dir, "lock"))
	if err != nil {
		return err
	}
	return errors.Join(f(), unlock())
}

// taskRun is what an operation on tasks needs.
type taskRun struct {
	tasks, links []string // see tasksAndLinks; only the tasks where they were named
	unread       error    // the folders that could not be listed: to be returned in the end
	store        *artifact.Store
}

// tasksAndStore prepares an operation on the named tasks, or on all of them
// where none is named.
func (w *Workspace) tasksAndStore(ctx context.Context, named []string) (run taskRun, err error) {
	run.tasks = named
	if len(named) == 0 {
		run.tasks, run.links, run.unread = w.TasksAndLinks(ctx)
		if len(run.tasks) == 0 && run.unread != nil {
			return run, run.unread
		}
	}
	run.store, err = artifact.Open(w.Root)
	return run, err
}

// Tasks lists the task folders below specs, archived ones too, as paths below
// the root, sorted. The error names folders that cannot be listed; the tasks in
// all others are listed nevertheless.
func (w *Workspace) Tasks(ctx context.Context) ([]string, error) {
	tasks, _, err := w.TasksAndLinks(ctx)
	return tasks, err
}

// tasksAndLinks is Tasks, and the links in the place of task folders, which are
// not entered.
func (w *Workspace) TasksAndLinks(ctx context.Context) (tasks, links []string, err error) {
	var unread error
	err = w.Walk(ctx, func(f task.Found) error {
		switch f.Kind {
		case task.Task:
			tasks = append(tasks, f.Path)
		case task.Link:
			links = append(links, f.Path)
		}
		return nil
	}, func(path string, err error) error {
		unread = errors.Join(unread, fmt.Errorf("%s: %w", path, Reason(err)))
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	slices.Sort(tasks)
	slices.Sort(links)
	return tasks, links, unread
}
