package workspace

import (
	"context"
	"time"
)

// tidyAfter is how long after a change of a task the watch looks for what a
// killed process may have left there. It is longer than such a process can
// have waited for others, and many changes are worth one look.
const tidyAfter = 3 * time.Second

// tidy takes away what killed processes left: in all tasks first, then from time
// to time in those that change, until the context ends. It is in no hurry:
// what others had begun is also ended before anything is written there. The
// tasks in which something was ended are worth a look, and handed on.
func (d *daemon) tidy(ctx context.Context, all []string) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	d.sweepOwn()
	for due := all; ; {
		if ended := d.sweep(ctx, due); len(ended) > 0 {
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

// tidyLater has tasks tidied after a while.
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
