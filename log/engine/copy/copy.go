// Package copy copies all logs and blobs of a store to another one, and compares what
// it wrote with what it read.
//
// A copy that was interrupted is continued by another one: the records that the target
// has must be the first ones of the source, and blobs have the ids of their bytes. A
// target with anything else is refused before the first write. Blobs are copied first,
// so that no log refers to a missing one.
//
// [Compare] finds out how much the copy of a store in a workspace lacks, and whether it has
// anything that the store does not have.
package copy

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"handoff/log/engine"
)

// Options select what to copy.
type Options struct {
	// Prefix limits the copy to logs whose names begin with it, and leaves blobs out
	// unless it is "".
	Prefix string
	// Progress is called after each step, by one goroutine at a time. It may be nil.
	Progress func(Progress)
	// Writers is how many logs or blobs are copied at once; 0 means 8.
	Writers int
}

// Progress is how much is done.
type Progress struct {
	Stage     Stage
	Done, All uint64 // of what the stage counts
}

// Stage is what a copy does.
type Stage string

// The stages, in order, and what each counts.
const (
	Comparing Stage = "comparing" // records that the target has
	Artifacts Stage = "artifacts" // blobs
	Records   Stage = "records"   // that are copied
	Verifying Stage = "verifying" // records that were copied
)

// Result is what a copy did.
type Result struct {
	Logs    int    `json:"logs"`    // of the source
	Records uint64 `json:"records"` // of those logs
	Copied  uint64 `json:"copied"`  // records that the target did not have
	Blobs   int    `json:"artifacts"`
	// BlobsCopied are those that the target did not have.
	BlobsCopied int `json:"artifacts_copied"`
	// BlobsLeft were left out because one of the stores has none.
	BlobsLeft int `json:"artifacts_left"`
	// Newer is the number of records that the source got meanwhile.
	Newer uint64 `json:"newer"`
	// Problems are logs and blobs that could not be read. All others were copied.
	Problems []string `json:"problems"`
}

// ErrDiffers: the target has something that is not in the source.
var ErrDiffers = errors.New("the target is not an earlier copy of the source")

// copying is a copy in progress.
type copying struct {
	from, to engine.Engine
	options  Options
	logs     []engine.Info     // of the source
	has      map[string]uint64 // of the target

	mu     sync.Mutex
	result Result
	bad    map[string]bool // logs with a problem
	done   atomic.Uint64
}

// Copy copies. Another process may append to the source meanwhile, but not to the
// target. After an error the target has a part of the source, and the same copy
// continues there.
func Copy(ctx context.Context, from, to engine.Engine, o Options) (Result, error) {
	if o.Writers == 0 {
		o.Writers = 8
	}
	c := &copying{from: from, to: to, options: o, bad: map[string]bool{}, result: Result{Problems: []string{}}}
	for _, step := range []func(context.Context) error{c.list, c.compare, c.blobs, c.records, c.newer} {
		if err := step(ctx); err != nil {
			return c.result, err
		}
	}
	return c.result, nil
}

// list lists the logs, and refuses a target with other or longer ones.
func (c *copying) list(ctx context.Context) error {
	of := map[string]uint64{}
	for info, err := range c.from.List(ctx, c.options.Prefix) {
		if engine.Foreign(err) != nil {
			c.problem(info.Log, engine.About(c.from.Name(), err))
			continue
		}
		if err != nil {
			return engine.About(c.from.Name(), err)
		}
		if info.Log == engine.IdentityLog { // each store has its own
			continue
		}
		of[info.Log] = info.Len
		c.logs = append(c.logs, info)
		c.result.Records += info.Len
	}
	c.result.Logs = len(c.logs)
	c.has = map[string]uint64{}
	for info, err := range c.to.List(ctx, c.options.Prefix) {
		if err != nil {
			return engine.About(c.to.Name(), err)
		}
		if info.Len > of[info.Log] && info.Log != engine.IdentityLog && !c.bad[info.Log] {
			return c.differs("%s has %d records there and %d in %s", info.Log, info.Len, of[info.Log], c.from.Name())
		}
		c.has[info.Log] = info.Len
	}
	return nil
}

func (c *copying) differs(format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", c.to.Name(), ErrDiffers, fmt.Sprintf(format, args...))
}

// begin starts the count of a stage; step adds to it.
func (c *copying) begin(stage Stage, all uint64) (step func(n uint64)) {
	c.done.Store(0)
	if c.options.Progress == nil {
		return func(uint64) {}
	}
	var mu sync.Mutex
	return func(n uint64) {
		mu.Lock()
		defer mu.Unlock()
		c.options.Progress(Progress{stage, c.done.Add(n), all})
	}
}

// problem records something that could not be read.
func (c *copying) problem(log string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if log != "" {
		c.bad[log] = true
	}
	c.result.Problems = append(c.result.Problems, err.Error())
}

func (c *copying) isBad(log string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bad[log]
}

// newer counts the records that the source got since it was listed.
func (c *copying) newer(ctx context.Context) error {
	now := uint64(0)
	for info, err := range c.from.List(ctx, c.options.Prefix) {
		if engine.Foreign(err) != nil {
			continue // it was reported
		}
		if err != nil {
			return engine.About(c.from.Name(), err)
		}
		if info.Log == engine.IdentityLog {
			continue
		}
		now += info.Len
	}
	c.result.Newer = max(now, c.result.Records) - c.result.Records
	return nil
}

// each calls f for all of a list, by some goroutines, until one fails.
func each[T any](ctx context.Context, writers int, list []T, f func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(writers, len(list)) {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(list)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if err := f(ctx, list[i]); err != nil {
					cancel(err)
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}
