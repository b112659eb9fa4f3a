package watch

import (
	"context"
	"errors"
	"time"
)

// pause is the least time between the first doubt and the rescan: renames of
// folders come in groups.
const pause = 10 * time.Millisecond

// events sends changes, until the context ends or the system has no more
// watches.
func (w *Watcher) events(ctx context.Context, found chan<- Change) {
	f := w.folders
	defer f.stop()
	var (
		whole = time.NewTicker(w.opt.Interval)
		reset <-chan time.Time // fires when everything must be scanned again
		cost  time.Duration    // of the last scan
		clock = startClock()

		requested bool // the last scan was one that Rescan asked for
	)
	defer whole.Stop()
	for {
		w.idle(requested, reset != nil)
		again := false
		requested = false
		select {
		case <-ctx.Done():
			if tasks, _, err := f.read(f.take()); err == nil {
				w.send(found, Change{tasks, true})
			}
			return
		case <-w.rescan:
			again, requested = true, true
		case <-whole.C:
			again = true
		case <-reset:
			again = true
		case <-f.wake:
			tasks, doubt, err := f.read(f.take())
			if err != nil {
				again = true
			}
			if len(tasks) > 0 {
				w.send(found, Change{tasks, false})
			}
			if (doubt || clock.jumped()) && reset == nil {
				reset = time.After(max(pause, 4*cost)) // scans take at most a fifth of the time
			}
		}
		if !again {
			continue
		}
		w.backlog.reading.Store(true)
		begin := time.Now()
		var tasks []string
		err := f.reset(func(some []string) error { tasks = append(tasks, some...); return nil })
		if len(f.elsewhere.get()) > 0 {
			tasks = append(tasks, Elsewhere)
		}
		cost, reset = time.Since(begin), nil
		switch limit := (*limitError)(nil); {
		case errors.As(err, &limit):
			w.giveUp(limit)
			w.send(found, Change{w.poller.look(), true})
			w.idle(requested, false)
			return
		case err != nil || !isFolder(w.opt.Root): // deleted; it may be created again
			reset = time.After(time.Second)
		}
		w.send(found, Change{tasks, true})
	}
}

// clock notices that the process was suspended.
type clock struct{ at time.Time }

func startClock() *clock { return &clock{time.Now()} }

// jumped reports whether the wall clock and the monotonic clock, which stops
// while the machine sleeps, disagree on the time since the last call.
func (c *clock) jumped() bool {
	now := time.Now()
	mono, wall := now.Sub(c.at), now.Round(0).Sub(c.at.Round(0))
	c.at = now
	return (wall - mono).Abs() > 5*time.Second
}
