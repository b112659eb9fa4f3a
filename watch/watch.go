// Package watch reports which tasks of a workspace may have changed.
//
// File system events are hints, and only the tree is authoritative. Folders are
// watched before they are listed, so that no change is missed. After lost
// events, a renamed folder or a suspended process, all folders are watched
// again and all tasks are reported. If the system has no events, the folders
// are scanned every few seconds.
//
// The package does not know what a change means, or whether there was one: it
// may report a task that has not changed. It never reads a file.
package watch

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"handoff/document/handoff"
	"handoff/document/task"
)

// Options configure a watch. The zero value of a duration is its default.
type Options struct {
	Root     string        // of the workspace, absolute
	Layouts  task.Layouts  // where documents outside of task folders are; see [Watcher.Layouts]
	Quiet    time.Duration // a task is reported after so long without a change; 0: at once
	Cap      time.Duration // longest delay of a report; default [DefaultCap], or Quiet if that is longer
	Interval time.Duration // between two scans of everything; default 5 minutes
	Poll     bool          // scan every PollEvery instead of waiting for events
	// PollEvery is the least time between two scans while polling; default 2 s.
	// If scans take long, there are fewer, so that they take a twentieth of the
	// time, but at least one in 30 s.
	PollEvery time.Duration
	// Say is called with messages for the user: why it polls, and what to do.
	Say func(text string)
	// Linked is called with symlinks instead of task folders, or of the specs
	// folder, which are not followed. It is called whenever one is seen, so
	// perhaps several times for one.
	Linked func(path string)
	// Keep are files in one folder, as paths below the root. Lost gets a value
	// soon after one of them was removed or renamed.
	Keep []string
}

// DefaultQuiet is longer than editors and agents pause between the writes of
// one save.
const DefaultQuiet = 20 * time.Millisecond

// DefaultCap leaves 25 ms to process a task that keeps changing, so that it is
// up to date within a quarter of a second.
const DefaultCap = 225 * time.Millisecond

func (o Options) withDefaults() Options {
	def := func(d *time.Duration, value time.Duration) {
		if *d <= 0 {
			*d = value
		}
	}
	def(&o.Cap, max(DefaultCap, o.Quiet))
	def(&o.Interval, 5*time.Minute)
	def(&o.PollEvery, 2*time.Second)
	if o.Say == nil {
		o.Say = func(string) {}
	}
	if o.Linked == nil {
		o.Linked = func(string) {}
	}
	return o
}

// Watcher watches one workspace.
type Watcher struct {
	// First has the tasks that exist at the start, as paths below the root, in
	// small sets: each task as soon as it is watched, before all of them are.
	// It is closed after the last one, or after Close; see [Watcher.Err].
	// Changes in the meantime come from Dirty, too. A caller must receive all
	// of First: Dirty waits for that.
	First <-chan []string
	// Dirty has sorted sets of tasks that may have changed, and [Elsewhere] if
	// documents outside of task folders may have. After Close it is closed once
	// everything known is sent.
	Dirty <-chan []string
	// Lost has a value if one of the files to keep may have been removed.
	Lost <-chan struct{}

	opt    Options
	lost   chan struct{}
	rescan chan struct{}
	close  context.CancelFunc
	polls  atomic.Bool
	found  atomic.Int64
	err    error // of the start, valid once First is closed

	elsewhere *elsewhere

	folders *folders // nil while polling
	poller  *poller  // nil while there are events

	backlog *backlog
	marks   *marks
	looks   chan chan struct{} // has a channel to close when everything was scanned, while polling
	ended   chan struct{}      // closed when nothing is watched any more
}

// setTasks is the most tasks in a set of First: so few that several processors
// finish all sets at about the same time.
const setTasks = 16

// setsAhead is how many sets wait in First before the watch waits for their
// receiver.
const setsAhead = 1024

// Open starts to watch. If the workspace has no specs folder, it waits for one.
func Open(opt Options) *Watcher {
	w := &Watcher{opt: opt.withDefaults()}
	w.begin(newFolders(w.opt))
	return w
}

func (w *Watcher) begin(f *folders) {
	ctx, cancel := context.WithCancel(context.Background())
	first, found, dirty := make(chan []string, setsAhead), make(chan Change), make(chan []string)
	w.First, w.Dirty, w.close, w.rescan = first, dirty, cancel, make(chan struct{}, 1)
	w.elsewhere, w.lost = f.elsewhere, f.lost
	w.elsewhere.set(w.opt.Layouts)
	w.Lost = w.lost
	w.backlog, w.marks, w.looks, w.ended = f.backlog, f.marks, make(chan chan struct{}), make(chan struct{})
	go Debouncer{Quiet: w.opt.Quiet, Cap: w.opt.Cap, backlog: w.backlog}.Run(found, dirty)
	go func() {
		defer close(found)
		defer close(w.ended)
		w.err = w.start(f, func(tasks []string) error {
			w.found.Add(int64(len(tasks)))
			select {
			case first <- tasks:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		stopped := errors.Is(w.err, context.Canceled) // the next watch reports the rest
		if stopped {
			w.err = nil
		}
		close(first)
		switch {
		case w.err == nil && !stopped:
			w.run(ctx, found)
		case w.folders != nil:
			w.folders.stop()
		}
	}()
}

// Found is how many tasks First has had so far, received or not.
func (w *Watcher) Found() int { return int(w.found.Load()) }

// Err is why nothing can be watched. It is valid once First is closed; if it is
// not nil, Dirty has nothing.
func (w *Watcher) Err() error { return w.err }

// Polling reports whether the workspace is scanned regularly, because there are
// no events.
func (w *Watcher) Polling() bool { return w.polls.Load() }

// Rescan reports all tasks as changed and watches all folders again.
func (w *Watcher) Rescan() {
	w.backlog.rescans.Add(1)
	select {
	case w.rescan <- struct{}{}:
	default:
		w.backlog.rescans.Add(-1) // one that is pending does it
	}
}

// send passes a change to the debouncer.
func (w *Watcher) send(found chan<- Change, c Change) {
	w.backlog.sent.Add(1)
	found <- c
}

// Close ends the watch. Dirty still gets the known changes, without waiting for
// quiet.
func (w *Watcher) Close() { w.close() }

// start watches all folders, or starts to poll if that is impossible. It sends
// the tasks it finds, some of them twice if it has to start again.
func (w *Watcher) start(f *folders, found func(tasks []string) error) error {
	places := []string{w.opt.Root, filepath.Join(w.opt.Root, handoff.Root)}
	for _, dir := range w.elsewhere.get().Bases() {
		places = append(places, filepath.Join(w.opt.Root, filepath.FromSlash(dir)))
	}
	if why := unwatchable(places...); why != "" && !w.opt.Poll {
		w.opt.Poll = true
		w.opt.Say(why + ": polling every " + w.opt.PollEvery.String())
	}
	if w.opt.Poll {
		w.poll()
	} else {
		w.folders = f
		err, limit := f.reset(found), (*limitError)(nil)
		if !errors.As(err, &limit) {
			return err
		}
		w.giveUp(limit)
	}
	tasks := slices.DeleteFunc(w.poller.look(), func(t string) bool { return t == Elsewhere })
	for some := range slices.Chunk(tasks, setTasks) {
		if err := found(some); err != nil {
			return err
		}
	}
	return nil
}

// giveUp switches to polling, because the system has no more watches.
func (w *Watcher) giveUp(limit *limitError) {
	w.opt.Say(limit.explain(countFolders(w.opt.Root)+w.elsewhere.count(w.opt.Root, ""), w.opt.PollEvery))
	w.poll()
}

func (w *Watcher) poll() {
	if w.folders != nil {
		w.folders.stop()
	}
	w.folders, w.poller = nil, newPoller(w.opt.Root, w.opt.Linked)
	w.poller.elsewhere = w.elsewhere
	w.polls.Store(true)
	w.marks.all()
}

// run sends what changed until the context ends.
func (w *Watcher) run(ctx context.Context, found chan<- Change) {
	if w.folders != nil {
		w.events(ctx, found)
	}
	if w.poller != nil && ctx.Err() == nil {
		w.look(ctx, found)
	}
}

// look scans everything repeatedly. The pause after a scan depends on its duration: see
// [Options.restAfter].
func (w *Watcher) look(ctx context.Context, found chan<- Change) {
	next := time.NewTimer(w.opt.PollEvery)
	defer next.Stop()
	whole := time.NewTicker(w.opt.Interval)
	defer whole.Stop()
	p, requested, looked := w.poller, false, chan struct{}(nil)
	w.backlog.noted.Store(false) // those of the events, if there were any: everything was scanned since
	for {
		w.idle(requested, false)
		requested = false
		if looked != nil {
			close(looked)
			looked = nil
		}
		select {
		case <-ctx.Done():
			w.send(found, Change{p.look(), true})
			return
		case <-w.rescan:
			requested = true
			p.forget()
		case <-whole.C:
			p.forget()
		case looked = <-w.looks:
		case <-next.C:
		}
		w.backlog.reading.Store(true)
		began := time.Now()
		changed := p.look()
		next.Reset(w.opt.restAfter(time.Since(began)))
		if len(changed) > 0 {
			w.send(found, Change{changed, true}) // it was quiet since the last scan, or the next one reports it again
		}
		if len(w.opt.Keep) > 0 {
			signal(w.lost) // there is no event for them, and a check is cheap
		}
	}
}

// idle records that what was read is sent. requested reports that it was a scan that
// Rescan asked for; due, that another one follows.
func (w *Watcher) idle(requested, due bool) {
	w.backlog.due.Store(due)
	w.backlog.reading.Store(false)
	if requested {
		w.backlog.rescans.Add(-1)
	}
}

// signal sends a value to a channel with room for one, unless there is one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
