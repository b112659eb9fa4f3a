package watch

import (
	"slices"
	"time"
)

// Change is a set of tasks that may have changed.
type Change struct {
	Tasks []string
	Now   bool // not part of a burst: name it at once
}

// Debouncer turns a burst of changes of a task into one. Each task has its own
// quiet time, so that a busy task does not delay the others.
type Debouncer struct {
	Quiet time.Duration // time without a change after which a task is emitted; 0: at once
	Cap   time.Duration // longest time from the first change until the task is emitted

	backlog *backlog // counts what it has; may be nil
}

// waiting is a task that changed recently.
type waiting struct{ first, last time.Time }

// Run receives changes and sends sorted sets of tasks, until in is closed and
// everything is sent; then it closes out. It keeps receiving even while no
// reader takes its sets.
func (d Debouncer) Run(in <-chan Change, out chan<- []string) {
	defer close(out)
	if d.backlog == nil {
		d.backlog = new(backlog)
	}
	var (
		busy  = map[string]waiting{}
		ready = map[string]bool{}
		batch []string // ready to send, sorted; nil if it must be built again
		timer = time.NewTimer(time.Hour)
		armed bool
	)
	timer.Stop()
	for in != nil || len(ready) > 0 {
		to := out
		if len(ready) == 0 {
			to = nil
		} else if batch == nil {
			batch = sorted(ready)
		}
		select {
		case c, ok := <-in:
			if !ok {
				in, batch = nil, nil
				d.flush(busy, ready)
				continue
			}
			batch = nil
			d.take(c, busy, ready)
			d.backlog.busy.Store(int64(len(busy) + len(ready)))
			d.backlog.sent.Add(-1)
		case <-timer.C:
			armed, batch = false, nil
			d.due(busy, ready)
		case to <- batch:
			d.backlog.taken.Add(1)
			batch = nil
			clear(ready)
			d.backlog.busy.Store(int64(len(busy)))
		}
		if !armed && len(busy) > 0 {
			timer.Reset(d.next(busy))
			armed = true
		}
	}
}

func (d Debouncer) take(c Change, busy map[string]waiting, ready map[string]bool) {
	now := time.Now()
	for _, t := range c.Tasks {
		switch w, ok := busy[t]; {
		case c.Now || d.Quiet <= 0:
			delete(busy, t)
			ready[t] = true
		case ok:
			busy[t] = waiting{w.first, now}
		default:
			busy[t] = waiting{now, now}
		}
	}
}

func (d Debouncer) deadline(w waiting) time.Time {
	quiet, most := w.last.Add(d.Quiet), w.first.Add(d.Cap)
	if most.Before(quiet) {
		return most
	}
	return quiet
}

// due moves the tasks whose time has come to the ready ones.
func (d Debouncer) due(busy map[string]waiting, ready map[string]bool) {
	now := time.Now()
	for t, w := range busy {
		if !d.deadline(w).After(now) {
			delete(busy, t)
			ready[t] = true
		}
	}
}

// next is the time to the first deadline. Deadlines only move later, so the
// timer may fire too early, but never too late.
func (d Debouncer) next(busy map[string]waiting) time.Duration {
	first := d.Cap
	for _, w := range busy {
		first = min(first, time.Until(d.deadline(w)))
	}
	return max(first, time.Millisecond) // with many tasks, this bounds how often they are scanned
}

func (d Debouncer) flush(busy map[string]waiting, ready map[string]bool) {
	for t := range busy {
		ready[t] = true
	}
	clear(busy)
}

func sorted(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for t := range set {
		list = append(list, t)
	}
	slices.Sort(list)
	return list
}
