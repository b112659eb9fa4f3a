// Package watch tells which tasks of a workspace may have changed.
//
// What the system reports is a hint, the tree is the truth: folders are
// watched first and listed then, so that nothing falls between the two; and
// whenever there is doubt (lost events, a renamed folder, a stopped process)
// all folders are watched anew and all tasks are called changed. Where the
// system reports nothing, the folders are looked at every few seconds.
//
// The package does not know what a change means, nor whether there was one: a
// task may be named that is as it was. It never reads a file.
package watch

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"handoff"
)

// Options say how to watch. The zero value of a duration is its default.
type Options struct {
	Root     string        // of the workspace, absolute
	Quiet    time.Duration // a task is named when nothing of it changed for so long; 0: at once
	Cap      time.Duration // and after so long in any case; default [DefaultCap], or Quiet if that is longer
	Interval time.Duration // between two looks at everything; default 5 minutes
	Poll     bool          // look every PollEvery in place of waiting for events
	// PollEvery is the least time between two looks while polling; default 2 s.
	// Where a look takes long there are fewer, so that they take a twentieth of the
	// time, but at least one in 30 s.
	PollEvery time.Duration
	// Say is told what the user should know: why it polls, and what to do.
	Say func(text string)
	// Linked is told of symbolic links in the place of task folders, and of the
	// specs folder, which are not gone into: whenever one is seen, so that it may
	// be told of one several times.
	Linked func(path string)
	// Keep are files in one folder of the root, by name below the root. Lost has a
	// value soon after one of them was removed or renamed.
	Keep []string
}

// DefaultQuiet is how long editors and agents pause between the writes of one
// save, with room to spare.
const DefaultQuiet = 20 * time.Millisecond

// DefaultCap leaves 25 ms for what is done for a task that keeps changing, so
// that it is up to date within a quarter of a second.
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
	// First has the tasks there are at the start, as paths below the root, in
	// small sets: each task as soon as it is watched, while others are not yet.
	// It is closed behind the last, or after Close; see [Watcher.Err]. What
	// changes meanwhile comes out of Dirty, too. All of it must be taken: what
	// is named later waits for that.
	First <-chan []string
	// Dirty has sets of tasks that may have changed, sorted. It is closed after
	// Close, when all that was known has been handed out.
	Dirty <-chan []string
	// Lost has a value when one of the files to keep may be gone.
	Lost <-chan struct{}

	opt    Options
	lost   chan struct{}
	rescan chan struct{}
	close  context.CancelFunc
	polls  atomic.Bool
	found  atomic.Int64
	err    error // of the start, once First is closed

	folders *folders // nil while polling
	poller  *poller  // nil while there are events
}

// setTasks is how many tasks a set of First has at most: little enough that
// whoever works on them on several processors ends on all of them at once.
const setTasks = 16

// setsAhead is how many sets wait for those who take First before the watch
// waits for them.
const setsAhead = 1024

// Open starts to watch. A workspace without a specs folder is watched for one.
func Open(opt Options) *Watcher {
	w := &Watcher{opt: opt.withDefaults()}
	w.begin(newFolders(w.opt))
	return w
}

func (w *Watcher) begin(f *folders) {
	ctx, cancel := context.WithCancel(context.Background())
	first, found, dirty := make(chan []string, setsAhead), make(chan Change), make(chan []string)
	w.First, w.Dirty, w.close, w.rescan = first, dirty, cancel, make(chan struct{}, 1)
	w.lost = f.lost
	w.Lost = w.lost
	go Debouncer{w.opt.Quiet, w.opt.Cap}.Run(found, dirty)
	go func() {
		defer close(found)
		w.err = w.start(f, func(tasks []string) error {
			w.found.Add(int64(len(tasks)))
			select {
			case first <- tasks:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		stopped := errors.Is(w.err, context.Canceled) // in the middle: the rest is for the next watch
		if stopped {
			w.err = nil
		}
		close(first)
		if w.err == nil && !stopped {
			w.run(ctx, found)
		}
	}()
}

// Found is how many tasks First has had so far, those that nobody has taken
// yet among them.
func (w *Watcher) Found() int { return int(w.found.Load()) }

// Err says why nothing can be watched. It is good once First is closed; if it
// is not nil nothing comes out of Dirty.
func (w *Watcher) Err() error { return w.err }

// Polling reports whether the workspace is looked at from time to time,
// because there are no events to be had.
func (w *Watcher) Polling() bool { return w.polls.Load() }

// Rescan calls all tasks changed and watches all folders anew.
func (w *Watcher) Rescan() {
	signal(w.rescan)
}

// Close ends the watch. What is known to have changed still comes out of
// Dirty, without waiting for quiet.
func (w *Watcher) Close() { w.close() }

// start watches all folders, or begins to poll where that cannot be had. It
// hands on the tasks it finds, some of them twice where it has to begin again.
func (w *Watcher) start(f *folders, found func(tasks []string) error) error {
	if why := unwatchable(w.opt.Root, filepath.Join(w.opt.Root, handoff.Root)); why != "" && !w.opt.Poll {
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
	for some := range slices.Chunk(w.poller.look(), setTasks) {
		if err := found(some); err != nil {
			return err
		}
	}
	return nil
}

// giveUp turns to polling, because the system has no more watches for us.
func (w *Watcher) giveUp(limit *limitError) {
	w.opt.Say(limit.explain(countFolders(w.opt.Root), w.opt.PollEvery))
	w.poll()
}

func (w *Watcher) poll() {
	if w.folders != nil {
		w.folders.stop()
	}
	w.folders, w.poller = nil, newPoller(w.opt.Root, w.opt.Linked)
	w.polls.Store(true)
}

// run hands on what changed until the context ends.
func (w *Watcher) run(ctx context.Context, found chan<- Change) {
	if w.folders != nil {
		w.events(ctx, found)
	}
	if w.poller != nil && ctx.Err() == nil {
		w.look(ctx, found)
	}
}

// look looks at everything again and again. The rest after a look depends on
// how long it took: see [Options.restAfter].
func (w *Watcher) look(ctx context.Context, found chan<- Change) {
	next := time.NewTimer(w.opt.PollEvery)
	defer next.Stop()
	whole := time.NewTicker(w.opt.Interval)
	defer whole.Stop()
	p := w.poller
	for {
		select {
		case <-ctx.Done():
			found <- Change{p.look(), true}
			return
		case <-w.rescan:
			p.forget()
		case <-whole.C:
			p.forget()
		case <-next.C:
		}
		began := time.Now()
		changed := p.look()
		next.Reset(w.opt.restAfter(time.Since(began)))
		if len(changed) > 0 {
			found <- Change{changed, true} // it was quiet since the last look, or will be seen again
		}
		if len(w.opt.Keep) > 0 {
			signal(w.lost) // nothing tells: asking costs little
		}
	}
}

// signal puts a value into a channel that has room for one, unless there is one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
