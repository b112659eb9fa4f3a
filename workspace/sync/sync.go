// Package sync brings metadata, progress files, bundles and threads of tasks up to
// date with their handoffs. Package reconcile decides what must change; sync selects
// the tasks, takes the lock and works on many at once.
package sync

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/log/artifact"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/reconcile"
	"handoff/workspace/seen"
)

// Request selects the tasks to bring up to date.
type Request struct {
	Tasks  []string // folders below the root; none: all of them
	DryRun bool     // plan only

	Moved map[string]string // documents that were renamed: the new path by the old one
	Fresh []string          // documents written just now: they are news, unless they were edited

	Progress func(done, all int) // called after each task; may be nil
}

// Result is the outcome for a task.
type Result struct {
	Plan      reconcile.Plan
	Documents int                    // of the task, linked or not
	Later     bool                   // nothing was done yet: a document is being written, or git is busy
	Busy      string                 // what git is doing: see [gitindex.Tree.Busy]
	Unready   bool                   // a document waits until it was not changed for a while
	Threads   []workspace.TaskThread // that were created, or with DryRun would be
	Err       error

	chained []workspace.Chained
}

// Empty reports whether there was nothing to do. Problems do not count.
func (s *Result) Empty() bool { return s.Plan.Empty() && len(s.Threads) == 0 }

// quiet reports whether there is nothing to report of a task.
func (s *Result) quiet() bool {
	return s.Err == nil && s.Empty() && len(s.Plan.Problems) == 0 && len(s.Plan.Left) == 0
}

// conflicts bounds how often a task is planned again because another process
// changed it.
const conflicts = 50

// Run brings metadata, progress files and bundles of the tasks up to date. It
// passes each task that has a change, a problem or files that were left as git has them to
// emit, in the order of their paths. If no task is named, task folders that are symlinks out of the
// workspace follow. First it removes leftovers of killed processes.
func Run(ctx context.Context, w *workspace.Workspace, req Request, emit func(Result) error) error {
	look, err := Select(ctx, w, req.Tasks)
	if err != nil {
		return err
	}
	defer look.Store.Close()
	tasks := look.Tasks
	if err := w.CheckFolders(); err != nil {
		return err
	}
	s := newSyncer(w, look.Store, req)
	defer s.Close()
	if !req.DryRun {
		if err := w.KeepLocal(ctx); err != nil { // of handoffs that an agent wrote by hand
			return err
		}
		s.Sweep(ctx, tasks)
		s.SweepOwn(ctx)
	}
	if err := s.wait(ctx); err != nil {
		return err
	}
	known := s.begin(len(req.Tasks) == 0)
	done := 0
	err = s.All(ctx, tasks, func(s Result) error {
		if done++; req.Progress != nil {
			req.Progress(done, len(tasks))
		}
		if s.Busy != "" {
			s.Plan.Problems = append(s.Plan.Problems, reconcile.Problem{Path: s.Plan.Dir,
				Text: s.Busy + " is in progress: not written (`handoff sync` does it afterwards)"})
			known = nil
		}
		if s.quiet() {
			return nil
		}
		return emit(s)
	})
	if err != nil {
		return err
	}
	if known != nil {
		_ = known() // otherwise the next look at all tasks is the first
	}
	for _, link := range look.Links {
		if out := workspace.LeadsOut(w.Trusted(), w.Full(link)); out != nil {
			problem := reconcile.Problem{Path: link, Text: workspace.Reason(out).Error() + ": left alone"}
			if err := emit(Result{Plan: reconcile.Plan{Dir: link, Problems: []reconcile.Problem{problem}}}); err != nil {
				return err
			}
		}
	}
	return look.Unread
}

// Syncer reconciles tasks. A watch keeps one; its fields are set before it is used.
type Syncer struct {
	*workspace.Workspace
	Store *artifact.Store
	Book  *seen.Book
	dry   bool
	moved map[string]string          // see [Request]
	fresh []string                   // see [Request]
	named bool                       // the user named the tasks: write whatever git does, and has
	Skip  func(reconcile.State) bool // reports whether to leave a task for later; may be nil
	Pause time.Duration              // see [Syncer.ready]; default [Pause]

	blobs *artifact.Opened // while there are many tasks
	Cache *reconcile.Cache // for a watch, which reads the same tasks many times; nil: none
	chain openChain
}

func newSyncer(w *workspace.Workspace, store *artifact.Store, req Request) *Syncer {
	return &Syncer{Workspace: w, Store: store, Book: seen.Open(w.Root), dry: req.DryRun, moved: req.Moved, fresh: req.Fresh,
		named: len(req.Tasks) > 0}
}

// Close closes the threads that were opened.
func (s *Syncer) Close() { s.chain.close() }

// task reconciles one task. Our own processes take turns with a lock. Other
// programs do not know it: if they change the task, it is planned again.
func (s *Syncer) task(ctx context.Context, load *reconcile.Loader, dir string) Result {
	return s.finished(ctx, s.plan(ctx, load, dir))
}

// finished creates the threads of a task that is up to date, and reports files of
// other writers that were set aside.
func (s *Syncer) finished(ctx context.Context, one Result) Result {
	if one.Err == nil && !one.Later && !s.dry {
		_ = s.Book.Record(one.Plan.Dir) // otherwise the documents are news once more, which changes nothing
	}
	if s.Config.Threads && one.Err == nil && !one.Later {
		s.extend(ctx, &one)
	}
	s.SetAside.Left(s.Root, one.Plan.Dir, func(path, of string) {
		one.Plan.Problems = append(one.Plan.Problems, reconcile.Problem{Path: path, Text: reconcile.KeptText(of)})
	})
	return one
}

func (s *Syncer) plan(ctx context.Context, load *reconcile.Loader, dir string) Result {
	for range conflicts {
		one, ready := s.look(ctx, load, dir)
		if !ready {
			return one
		}
		err := s.Locked(ctx, func() error { return s.apply(one.Plan) })
		s.SetAside.Note(dir, err)
		if !errors.Is(err, reconcile.ErrChanged) {
			one.Err = err
			return one
		}
	}
	return Result{Plan: reconcile.Plan{Dir: dir}, Err: fmt.Errorf("%s: other processes keep writing it: try again", dir)}
}

// look plans what must change in a task, and reports whether there is something to
// apply.
func (s *Syncer) look(ctx context.Context, load *reconcile.Loader, dir string) (one Result, ready bool) {
	replaced := s.replaced()
	state, err := documents.Load(ctx, s.Workspace, load, s.Store, dir)
	if err != nil {
		return Result{Plan: reconcile.Plan{Dir: dir}, Err: err}, false
	}
	one.Documents, state.Moved = len(state.Documents), s.moved
	one.Unready = s.news(ctx, &state)
	state.Threads = s.Config.Threads
	if s.blobs != nil {
		state.World.Missing = s.blobs.Missing
	}
	if s.Skip != nil && s.Skip(state) {
		one.Plan.Dir, one.Later = dir, true
		return one, false
	}
	one.Plan = reconcile.Make(state)
	if s.Config.Threads {
		one.chained = Chained(state, one.Plan)
	}
	if one.Busy = s.busy(ctx, one.Plan); one.Busy != "" {
		one.Later, one.Plan = true, reconcile.Plan{Dir: dir, Problems: one.Plan.Problems}
	}
	plan := one.Plan
	one.Plan.Ready = func() error { // a disk takes long enough for a git command to begin
		if s.busy(ctx, plan) != "" || replaced() {
			return reconcile.ErrChanged // the next look finds out why
		}
		return nil
	}
	return one, !s.dry && !one.Later && !one.Plan.Empty()
}

// apply carries out a plan. The lock must be held.
func (s *Syncer) apply(p reconcile.Plan) error {
	if err := s.clear(p); err != nil {
		return err
	}
	return reconcile.Apply(s.Root, s.Store, p)
}

// clear checks that a plan is still valid. If a killed process displaced another
// writer's file, that file is put back first and the task planned again, because
// the plan was made without it. The lock must be held.
func (s *Syncer) clear(p reconcile.Plan) error {
	scratch := atomicfile.SweepScratch(s.Trusted())
	for _, w := range p.Writes {
		file := filepath.Join(s.Root, filepath.FromSlash(w.Path))
		if unfinished := append(atomicfile.Sweep(s.Trusted(), filepath.Dir(file)), scratch[file]...); len(unfinished) > 0 {
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

// collected reports whether a bundle that the plan found in the store was deleted.
// Until the plan is carried out nothing refers to it, so gc may have removed it.
func (s *Syncer) collected(p reconcile.Plan) bool {
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
	return len(found) > 0 && len(s.Store.Missing(found)) > 0
}

// Selection is the tasks that an operation is about, and the store of their bundles.
type Selection struct {
	Tasks, Links []string // see [Workspace.TasksAndLinks]; no links if tasks were named
	Unread       error    // names folders that could not be listed: to be returned at the end
	Store        *artifact.Store
}

// Select selects the named tasks, or all tasks if none is named. The caller closes
// the store.
func Select(ctx context.Context, w *workspace.Workspace, named []string) (run Selection, err error) {
	run.Tasks = named
	if len(named) == 0 {
		run.Tasks, run.Links, run.Unread = w.TasksAndLinks(ctx)
		if len(run.Tasks) == 0 && run.Unread != nil {
			return run, run.Unread
		}
	}
	run.Store, err = artifact.Open(w.Root)
	return run, err
}
