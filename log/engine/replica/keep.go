package replica

import (
	"context"
	"time"

	"handoff/internal/journal"
)

// Keep syncs again and again until the context ends, for programs that run long. It
// waits at least the interval, and much longer than a sync takes, so that many logs or
// a slow store do not cause a constant load. failed gets the errors; it may be nil.
func (r *Replica) Keep(ctx context.Context, interval time.Duration, failed func(error)) {
	wait := interval
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		begin := time.Now()
		if err := r.Sync(ctx); err != nil && failed != nil && ctx.Err() == nil {
			failed(err)
		}
		wait = max(interval, restFactor*time.Since(begin))
	}
}

// restFactor is how much longer than a sync the pause after it is.
const restFactor = 20

// Watch implements [journal.Upstream]. While the store cannot be reached, it keeps
// trying.
func (f *file) Watch(ctx context.Context) {
	for ctx.Err() == nil {
		for record, err := range f.r.logs.Watch(ctx, f.log, f.r.known(f.log).Lines) {
			if err != nil {
				break
			}
			if f.r.known(f.log).Lines <= record.Number && f.fetch(ctx) != nil {
				break
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(watchPause):
		}
	}
}

// watchPause is the time between two attempts to watch a log.
const watchPause = time.Second

// Refuse is the upstream of a file to which nothing may be appended: the error says why.
func Refuse(err error) journal.Upstream { return refusal{err} }

type refusal struct{ error }

func (r refusal) CatchUp(context.Context) (uint64, error)        { return 0, r.error }
func (r refusal) Watch(context.Context)                          {}
func (r refusal) Fetch(context.Context) error                    { return r.error }
func (r refusal) Append(context.Context, uint64, [][]byte) error { return r.error }
