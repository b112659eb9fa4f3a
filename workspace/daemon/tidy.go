package daemon

import (
	"context"
	"time"
)

// tidyAfter is the time from a change of a task until the watch searches it for
// leftovers of a killed process. It is longer than a process waits for others,
// and one search covers many changes.
const tidyAfter = 3 * time.Second

// tidy removes what killed processes left: in all tasks first, then from time to
// time in those that changed, until the context ends. It may be late, because an
// exchange is also completed before anything is written there. Tasks in which one
// was completed are sent to swept, to be reconciled.
func (d *daemon) tidy(ctx context.Context, all []string) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	d.syncer.SweepOwn(ctx)
	for due := all; ; {
		if ended := d.syncer.Sweep(ctx, due); len(ended) > 0 {
			select {
			case d.swept <- ended:
			case <-ctx.Done():
			}
		}
		if next, ok := d.untidy.next(d.Now()); ok {
			timer.Reset(next)
		}
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-d.untidied:
		}
		due = d.untidy.due(d.Now())
		d.untidy.drop(due)
	}
}

// tidyLater schedules tasks to be tidied.
func (d *daemon) tidyLater(tasks []string) {
	at := d.Now().Add(tidyAfter)
	for _, task := range tasks {
		d.untidy.put(task, at)
	}
	select {
	case d.untidied <- struct{}{}:
	default:
	}
}
