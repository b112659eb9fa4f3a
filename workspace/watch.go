package workspace

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"handoff"
	"handoff/artifact"
	"handoff/reconcile"
	"handoff/watch"
)

// WatchRequest says how to watch. Zero durations are defaults.
type WatchRequest struct {
	Debounce time.Duration   // quiet after which a task is brought up to date; 0: at once
	Interval time.Duration   // between two looks at everything
	Poll     bool            // look every few seconds in place of waiting for events
	Retry    time.Duration   // after which a task that could not be written is tried again; default 5 s
	Stand    time.Duration   // between two looks whether others can still find the watch; default 30 s
	Reload   <-chan struct{} // a value reads the configuration again, and looks at everything

	// None of these is called while another is.
	Begun    func()                         // the watch is the one of this workspace, and looks at all tasks
	Say      func(text string)              // what the user should know
	Progress func(done, all int)            // of the first look, from time to time
	Started  func(tasks, documents int)     // the first look is done
	Did      func(at time.Time, one Synced) // a task had a change, or problems that are new
	Stopping func()                         // no more changes are taken in
}

// WatchTotals is what a watch did.
type WatchTotals struct {
	Links    int // made
	Problems int // that are there at its end
}

// settled is the age at which a document that has no end counts as one that
// has none, rather than as one that is being written.
const settled = time.Second

// Watch brings tasks up to date whenever they change, all of them first, until
// the context ends; then it finishes what is known to have changed. Only one
// watch runs in a workspace: the error is a [*RunningError] if it is another.
func (w *Workspace) Watch(ctx context.Context, req WatchRequest) (WatchTotals, error) {
	d := &daemon{Workspace: w, req: req, untidied: make(chan struct{}, 1), swept: make(chan []string)}
	d.status.queued(1) // at least, until Started is told: it answers from now on
	release, err := d.hold()
	if err != nil {
		return WatchTotals{}, err
	}
	defer release()
	if req.Begun != nil {
		d.talk(req.Begun)
	}
	d.syncer = syncer{Workspace: w, skip: d.leaves, fresh: d.known.fresh, cache: &reconcile.Cache{Now: w.Now}}
	d.watcher = watch.Open(watch.Options{
		Root: w.Root, Quiet: req.Debounce, Interval: req.Interval, Poll: req.Poll,
		Say:    func(text string) { d.talk(func() { req.Say(text) }) },
		Linked: d.sayLink, Keep: standing,
	})
	err = d.run(ctx)
	return d.status.totals(), err
}

// daemon is a watch that runs. What it remembers is for those who ask: all
// that matters is in the files.
type daemon struct {
	*Workspace
	req     WatchRequest
	syncer  syncer
	watcher *watch.Watcher
	status  status
	self    Holder
	post    post
	polling atomic.Bool

	later waitlist // tasks with a document that is being written, or that could not be

	links   links     // out of the workspace, in the place of tasks
	deleted takenAway // metadata
	known   known     // documents

	untidy   waitlist      // tasks in which to look for what killed processes left
	untidied chan struct{} // has a value when there are more of them
	swept    chan []string // tasks in which what such a process had begun was ended

	talking sync.Mutex
}

// talk calls one of the functions of the request: the watcher has something to
// say at any time.
func (d *daemon) talk(f func()) {
	d.talking.Lock()
	defer d.talking.Unlock()
	f()
}

// run works until the watcher has nothing more to say.
func (d *daemon) run(ctx context.Context) error {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	every := cmp.Or(d.req.Stand, standEvery)
	look := time.NewTimer(every)
	defer look.Stop()
	stop := ctx.Done()
	reload := d.req.Reload
	all, err := d.first(ctx)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return d.breakOff()
	}
	d.talk(func() { d.req.Started(d.status.size()) })
	d.status.queued(d.later.size())
	var tidying sync.WaitGroup
	defer tidying.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tidying.Go(func() { d.tidy(ctx, all) })
	for {
		select {
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
			if err := d.reconcile(tasks); err != nil {
				return err
			}
			d.tidyLater(tasks)
		case tasks := <-d.swept:
			if err := d.reconcile(tasks); err != nil {
				return err
			}
		case <-timer.C:
			if err := d.reconcile(d.later.due(d.Now())); err != nil {
				return err
			}
		case <-d.watcher.Lost:
			look.Reset(min(every, standAfter))
		case <-look.C:
			if err := d.stand(); err != nil {
				return err
			}
			look.Reset(every)
			if !d.holds() {
				look.Reset(min(every, standAgain))
			}
		}
		if next, ok := d.later.next(d.Now()); ok {
			timer.Reset(next)
		}
	}
}

// breakOff ends a watch that was told to stop during its first look.
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

// finish links the documents that were waited for as they are.
func (d *daemon) finish() error {
	d.syncer.skip = nil
	return d.reconcile(d.later.all())
}

// reload reads the configuration again. One that is wrong changes nothing.
func (d *daemon) reload() {
	if err := d.Reload(); err != nil {
		d.talk(func() { d.req.Say(err.Error() + ": the previous configuration stays in use") })
	}
	d.watcher.Rescan()
}

// first brings all tasks up to date, the first of them while the others are not
// watched yet, and returns them. When the context ends it stops after the tasks
// that are being worked on.
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
	d.known.begin(d.Root, d.holderPath())
	defer d.known.live()
	err = d.opened(func() error {
		return d.syncer.shared(ctx, sets, func(s Synced) error {
			if ctx.Err() != nil && errors.Is(s.Err, ctx.Err()) {
				return nil // not done, and not a problem
			}
			found := d.watcher.Found()
			if done++; d.req.Progress != nil && done%100 == 0 {
				d.talk(func() { d.req.Progress(done, found) })
			}
			d.did(s)
			d.status.queued(max(1, found-done+d.later.size()))
			return nil
		})
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	for range d.watcher.First { // of a workspace that is gone: the watch waits for it
	}
	return all, d.watcher.Err()
}

// reconcile brings a set of tasks up to date. It does not heed the end of the
// watch: what is dirty is finished.
func (d *daemon) reconcile(tasks []string) error {
	d.later.drop(tasks)
	d.status.queued(len(tasks) + d.later.size())
	done := 0
	return d.opened(func() error {
		return d.syncer.all(context.Background(), tasks, func(s Synced) error {
			done++
			d.did(s) // first: who sees no task in the queue has been told of all
			d.status.queued(len(tasks) - done + d.later.size())
			return nil
		})
	})
}

// opened runs f with the store. It is opened each time: what was a folder's an
// hour ago may be another one's.
func (d *daemon) opened(f func() error) (err error) {
	if d.syncer.store, err = artifact.Open(d.Root); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it may come back, and then all tasks are looked at
		}
		return err
	}
	defer d.syncer.store.Close()
	defer d.syncer.threads.close()
	defer func() { d.polling.Store(d.watcher.Polling()) }()
	return f()
}

func (d *daemon) exists(task string) bool {
	return IsDir(filepath.Join(d.Root, filepath.FromSlash(task)))
}

// did notes what became of a task and says it, if it is new.
func (d *daemon) did(s Synced) {
	if s.Later {
		return
	}
	if s.Err == nil {
		d.deleted.made(s.Plan)
		d.known.add(s.fresh)
	}
	if errors.Is(s.Err, fs.ErrNotExist) {
		d.known.forget(s.Plan.Dir)
		d.deleted.set(s.Plan.Dir, false)
		d.status.forget(s.Plan.Dir) // removed while it was in the queue
		return
	}
	at := d.Now()
	if s.Err != nil {
		d.later.put(s.Plan.Dir, at.Add(cmp.Or(d.req.Retry, 5*time.Second))) // a disk that was full, say: nothing tells of its end
	}
	news := d.status.note(at, s)
	if news || s.Err == nil && !s.Empty() {
		d.talk(func() { d.req.Did(at, s) })
	}
}

// leaves reports whether a task is left as it is for now.
func (d *daemon) leaves(s reconcile.State) bool {
	if d.deleted.news(s) && len(s.Create) == 0 {
		d.talk(func() { d.req.Say(s.Metadata.Path + " was deleted: it is created again with the next handoff") })
	}
	return d.unfinished(s)
}

// unfinished reports whether a document of the task looks as if somebody were
// writing it: it has no end, and is young. Such a task is looked at again.
func (d *daemon) unfinished(s reconcile.State) bool {
	now := d.Now()
	for _, doc := range s.Documents {
		if complete(doc.Doc) {
			continue
		}
		st, err := os.Stat(filepath.Join(d.Root, filepath.FromSlash(doc.Path)))
		if err != nil {
			continue
		}
		// Written after now was read, it is younger than new.
		if age := now.Sub(st.ModTime()); age.Abs() < settled {
			d.later.put(s.Dir, now.Add(settled-age))
			return true
		}
	}
	return false
}

// complete reports whether a document has its last section.
func complete(doc *handoff.Document) bool {
	s := doc.Section(handoff.References)
	return s != nil && (s.Inline != "" || doc.Text(s.Body) != "")
}
