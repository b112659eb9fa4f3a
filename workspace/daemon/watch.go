// Package daemon keeps tasks up to date while their files change, and answers status
// requests. Package watch reports which tasks changed, package sync brings them up to
// date; daemon decides when, and that only one watch runs in a workspace.
package daemon

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"handoff/log/artifact"
	"handoff/watch"
	"handoff/workspace"
	"handoff/workspace/reconcile"
	"handoff/workspace/seen"
	tasksync "handoff/workspace/sync"
)

// Request sets how to watch. Zero durations are the defaults.
type Request struct {
	Debounce time.Duration   // quiet time before a task is brought up to date; 0: none
	Interval time.Duration   // between two full scans
	Poll     bool            // scan every few seconds instead of waiting for events
	Retry    time.Duration   // before a task that could not be written is tried again; default 5 s
	Check    time.Duration   // between two checks that lock, holder file and socket exist; default 30 s
	Look     time.Duration   // between two looks at the configuration file; default 2 s
	Pause    time.Duration   // after which a document without its last section is presented; default [tasksync.Pause]
	Reload   <-chan struct{} // a value reads the configuration again, and rescans everything
	// Beside, if not nil, is called once, when the first scan is done. It returns when its
	// context ends.
	Beside func(ctx context.Context, say func(text string))

	// Only one of these is called at a time.
	Begun    func()                                  // this process has the lock, and begins the first scan
	Say      func(text string)                       // a message for the user
	Progress func(done, all int)                     // of the first scan, from time to time
	Started  func(tasks, documents int)              // the first scan is done: of the whole tree
	Did      func(at time.Time, one tasksync.Result) // a task changed, or has new problems
	Wrote    func(at time.Time, one Written)         // a document outside of task folders was written; may be nil
	Stopping func()                                  // further changes are ignored
}

// Totals counts what a watch did.
type Totals struct {
	Links    int // that it wrote
	Problems int // at its end
}

// lookEvery is the time between two looks at the configuration file.
const lookEvery = 2 * time.Second

// settled is the age after which a document without its last section is no longer
// treated as still being written.
const settled = time.Second

// Watch brings all tasks up to date, and then each task that changes, until the
// context ends; then it finishes the tasks that are known to have changed. Only one
// watch runs in a workspace: if there is another, the error is a [*RunningError].
func Watch(ctx context.Context, w *workspace.Workspace, req Request) (Totals, error) {
	d := &daemon{Workspace: w, req: req, untidied: make(chan struct{}, 1), swept: make(chan []string)}
	d.syncer = tasksync.Syncer{Workspace: w, Book: seen.Open(w.Root), Skip: d.leaves, Pause: req.Pause, Cache: &reconcile.Cache{Now: w.Now}}
	d.known, d.unknown = d.syncer.Book.Start() // before others can see that this one watches, and write because it does
	release, err := d.hold()
	if err != nil {
		return Totals{}, err
	}
	defer release()
	d.repository = repositoryOf(w.Root)
	if req.Begun != nil {
		d.talk(req.Begun)
	}
	d.watcher = watch.Open(watch.Options{
		Root: w.Root, Layouts: w.Config.Documents, Quiet: req.Debounce, Interval: req.Interval, Poll: req.Poll,
		Say:    func(text string) { d.talk(func() { req.Say(text) }) },
		Linked: d.sayLink, Keep: ownFilesOfWatch,
	})
	err = d.run(ctx)
	return d.status.totals(), err
}

// daemon is a running watch. Its memory serves status requests and timing only: all
// state is in the files.
type daemon struct {
	*workspace.Workspace
	req     Request
	syncer  tasksync.Syncer
	watcher *watch.Watcher
	status  status
	self    Holder
	held    held
	polling atomic.Bool

	known   func() error // to call when the first scan is done: from then on the tree is known
	unknown error        // why it cannot be

	later      waitlist // tasks with a document that is being written, that failed, or that wait for git
	unready    waitlist // tasks with a document that is presented if it does not change for a while
	git        gitWait
	repository gitRepository
	left       asCommitted
	stored     bool // there was a folder of bundles

	links    links        // symlinks out of the workspace, instead of task folders
	metadata metadataSeen // tasks that have metadata
	young    []string     // tasks that the first scan left for later

	elsewhere elsewhere // documents outside of task folders

	untidy   waitlist      // tasks to search for what killed processes left
	untidied chan struct{} // has a value when untidy grew
	swept    chan []string // tasks in which the exchange of a killed process was completed

	talking sync.Mutex
}

// talk calls one of the functions of the request. The lock is needed because the
// watcher reports from its own goroutine.
func (d *daemon) talk(f func()) {
	d.talking.Lock()
	defer d.talking.Unlock()
	f()
}

// run works until the watcher has closed its channel.
func (d *daemon) run(ctx context.Context) error {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	every := cmp.Or(d.req.Check, checkEvery)
	check := time.NewTimer(every)
	defer check.Stop()
	stop := ctx.Done()
	reload := d.req.Reload
	all, err := d.first(ctx)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return d.breakOff()
	}
	if err := d.settle(ctx); err != nil {
		return err
	}
	d.lookElsewhere(ctx, false) // what exists is not news, like the links of the first scan
	d.talk(func() { d.req.Started(d.status.size()) })
	d.status.scan(false)
	d.status.queued(d.later.size())
	var tidying sync.WaitGroup
	defer tidying.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tidying.Go(func() { d.tidy(ctx, all) })
	if d.req.Beside != nil {
		tidying.Go(func() { d.req.Beside(ctx, func(text string) { d.talk(func() { d.req.Say(text) }) }) })
	}
	look := time.NewTicker(cmp.Or(d.req.Look, lookEvery))
	defer look.Stop()
	for {
		select {
		case <-look.C:
			if stop != nil && d.Changed() {
				d.reload()
			}
			d.lookAtRepository()
			if tasks := d.reindexed(); stop != nil && len(tasks) > 0 {
				if err := d.reconcile(tasks); err != nil {
					return err
				}
			}
		case <-stop:
			d.talk(d.req.Stopping)
			d.watcher.Close()
			stop, reload = nil, nil
		case <-reload:
			d.reload()
		case tasks, ok := <-d.watcher.Dirty:
			if !ok {
				return d.finish()
			}
			if err := d.changed(tasks); err != nil {
				return err
			}
		case tasks := <-d.swept:
			if err := d.reconcile(tasks); err != nil {
				return err
			}
		case <-timer.C:
			due := append(d.later.due(d.Now()), d.unready.due(d.Now())...)
			slices.Sort(due)
			if err := d.reconcile(slices.Compact(due)); err != nil {
				return err
			}
		case <-d.watcher.Lost:
			check.Reset(min(every, checkAfterLoss))
		case <-check.C:
			if err := d.restore(); err != nil {
				return err
			}
			d.restoreBundles()
			check.Reset(every)
			if !d.holds() {
				check.Reset(min(every, checkAgain))
			}
		}
		next, ok := d.later.next(d.Now())
		if ripe, waits := d.unready.next(d.Now()); waits && (!ok || ripe < next) {
			next, ok = ripe, true
		}
		if ok {
			timer.Reset(next)
		}
	}
}

// breakOff ends a watch that was stopped during its first scan.
func (d *daemon) breakOff() error {
	d.talk(d.req.Stopping)
	d.talk(func() {
		d.req.Say("stopped before all tasks were checked: the next watch or `handoff sync` does the rest")
	})
	d.watcher.Close()
	for range d.watcher.Dirty {
	}
	return nil
}

// finish links the documents that are still being written, in their present state.
func (d *daemon) finish() error {
	d.syncer.Skip = nil
	return d.reconcile(d.later.all())
}

// reload reads the configuration again, and rescans everything. An invalid one
// changes nothing. The documents of a new layout are not news.
func (d *daemon) reload() {
	d.lookElsewhere(context.Background(), true)
	store := d.Config.Store.String()
	if err := d.Reload(); err != nil {
		d.talk(func() { d.req.Say(err.Error() + ": the previous configuration stays in use") })
	}
	if now := d.Config.Store.String(); now != store {
		d.talk(func() { d.req.Say("the store is now " + now) })
	}
	d.lookElsewhere(context.Background(), false)
	d.watcher.Layouts(d.Config.Documents)
	d.watcher.Rescan()
}

// first brings all tasks up to date and returns them. It begins before all folders
// are watched. When the context ends it stops after the tasks in progress.
func (d *daemon) first(ctx context.Context) (all []string, err error) {
	stop := context.AfterFunc(ctx, d.watcher.Close)
	defer stop()
	sets := func(yield func([]string) bool) {
		for tasks := range d.watcher.First {
			all = append(all, tasks...)
			if !yield(tasks) {
				return
			}
		}
	}
	d.sayLinks(ctx)
	done := 0
	err = d.opened(func() error {
		return d.syncer.Shared(ctx, sets, func(s tasksync.Result) error {
			if ctx.Err() != nil && errors.Is(s.Err, ctx.Err()) {
				return nil // interrupted, which is not a problem of the task
			}
			found := d.watcher.Found()
			if done++; d.req.Progress != nil && done%100 == 0 {
				d.talk(func() { d.req.Progress(done, found) })
			}
			if s.Later {
				d.young = append(d.young, s.Plan.Dir)
			}
			d.did(s)
			d.status.queued(found - done + d.later.size())
			return nil
		})
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	for range d.watcher.First { // drain: not consumed if the workspace was deleted
	}
	unknown := d.unknown
	if ctx.Err() == nil && unknown == nil {
		unknown = d.known()
	}
	if unknown != nil && d.exists("") {
		d.talk(func() {
			d.req.Say("cannot record which handoffs exist, so none that is written is presented as new: " + unknown.Error())
		})
	}
	return all, d.watcher.Err()
}

// settle ends the first scan with the tasks that it left for later, because a document
// in them is young and lacks its last section: all are, after a checkout or a copy.
// Without this their problems would be missing from the totals at the start. One that
// is still being written then is finished by the loop of run.
func (d *daemon) settle(ctx context.Context) error {
	if len(d.young) == 0 {
		return nil
	}
	wait := time.NewTimer(d.later.last(d.young, d.Now()))
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return nil // finish reconciles them
	case <-wait.C:
	}
	slices.Sort(d.young)
	return d.reconcile(slices.Compact(d.young))
}

// reconcile brings a set of tasks up to date. It ignores the end of the watch:
// tasks that changed are finished.
func (d *daemon) reconcile(tasks []string) error {
	d.later.drop(tasks)
	d.unready.drop(tasks)
	d.status.queued(len(tasks) + d.later.size())
	done := 0
	return d.opened(func() error {
		return d.syncer.All(context.Background(), tasks, func(s tasksync.Result) error {
			done++
			d.did(s) // first: an empty queue means that all tasks were reported
			d.status.queued(len(tasks) - done + d.later.size())
			return nil
		})
	})
}

// opened runs f with the store. It is opened each time because its folder may have
// been replaced since.
func (d *daemon) opened(f func() error) (err error) {
	if d.syncer.Store, err = artifact.Open(d.Root); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the workspace was deleted; if it reappears, everything is rescanned
		}
		return err
	}
	defer d.syncer.Store.Close()
	defer d.syncer.Close()
	defer func() { d.polling.Store(d.watcher.Polling()) }()
	defer func() { d.stored = d.stored || workspace.IsDir(d.Full(artifact.Blobs)) }()
	return f()
}

func (d *daemon) exists(task string) bool {
	return workspace.IsDir(filepath.Join(d.Root, filepath.FromSlash(task)))
}

// did records a task's result, and reports it if it is new.
func (d *daemon) did(s tasksync.Result) {
	d.git.look(d, s)
	if s.Later {
		d.status.found(s.Plan.Dir, s.Documents)
		return
	}
	if s.Err == nil {
		d.metadata.made(s.Plan)
		d.noteLeft(s)
	}
	if s.Unready {
		d.unready.put(s.Plan.Dir, d.Now().Add(cmp.Or(d.req.Pause, tasksync.Pause)))
	}
	if errors.Is(s.Err, fs.ErrNotExist) {
		d.metadata.set(s.Plan.Dir, false)
		d.status.forget(s.Plan.Dir) // removed while it was queued
		return
	}
	at := d.Now()
	if s.Err != nil {
		d.later.put(s.Plan.Dir, at.Add(cmp.Or(d.req.Retry, 5*time.Second))) // for example a full disk: no event reports that there is room again
	}
	news := d.status.note(at, s)
	if news || s.Err == nil && !s.Empty() {
		d.talk(func() { d.req.Did(at, s) })
	}
}
