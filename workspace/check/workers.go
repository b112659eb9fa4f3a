package check

import (
	"context"
	"runtime"
	"sync"
)

// workers checks jobs with one worker for each processor, and emits the results in the
// order in which the jobs were added. emit runs on the caller's goroutine, within add
// and finish. The number of batches in flight is bounded: when it is reached, add waits
// for the oldest one.
//
// Jobs are sent in batches, because checking a folder takes less time than waking
// another thread for it. If all jobs fit into one batch, as for a commit or a file, the
// caller's goroutine checks them and no worker is started.
type workers struct {
	ctx     context.Context
	checker *checker
	emit    func(*Result) error
	filling *batch
	sent    []*batch // the oldest first
	spare   []*batch
	work    chan *batch
	running int
	group   sync.WaitGroup
	failed  error // the error of emit; nothing is emitted after it
}

// batch is some of the jobs and their results.
type batch struct {
	jobs []job
	out  []Result
	done chan struct{} // gets a value when out is complete
}

const (
	batchJobs     = 16
	batchesAtOnce = 3 // for each worker: one that it checks, and two that are ready when it is done
)

func newWorkers(ctx context.Context, l *checker, emit func(*Result) error) *workers {
	return &workers{ctx: ctx, checker: l, emit: emit, filling: newBatch()}
}

func newBatch() *batch { return &batch{done: make(chan struct{}, 1)} }

// add adds a job. After an error the caller may stop adding.
func (c *workers) add(j job) error {
	c.filling.jobs = append(c.filling.jobs, j)
	if len(c.filling.jobs) < batchJobs {
		return nil
	}
	return c.send()
}

// finish emits the results of all remaining jobs.
func (c *workers) finish() error {
	if c.failed != nil {
		return c.failed
	}
	if c.running == 0 {
		w := newWorker(c.ctx, c.checker)
		w.run(c.filling)
		return c.flush(c.filling)
	}
	if err := c.send(); err != nil {
		return err
	}
	for len(c.sent) > 0 {
		if err := c.oldest(); err != nil {
			return err
		}
	}
	return nil
}

// stop ends the workers. A file that is being fixed is finished first.
func (c *workers) stop() {
	if c.running > 0 {
		close(c.work)
		c.group.Wait()
	}
}

func (c *workers) send() error {
	most := runtime.GOMAXPROCS(0)
	if c.running == 0 {
		c.work = make(chan *batch, batchesAtOnce*most)
	}
	if len(c.sent) == cap(c.work) {
		if err := c.oldest(); err != nil {
			return err
		}
	}
	if c.running < most {
		c.running++
		c.group.Go(func() {
			w := newWorker(c.ctx, c.checker)
			for b := range c.work {
				w.run(b)
				b.done <- struct{}{}
			}
		})
	}
	c.sent = append(c.sent, c.filling)
	c.work <- c.filling
	if last := len(c.spare) - 1; last >= 0 {
		c.filling, c.spare = c.spare[last], c.spare[:last]
	} else {
		c.filling = newBatch()
	}
	return nil
}

// oldest waits for the batch that was sent first and emits its results.
func (c *workers) oldest() error {
	b := c.sent[0]
	c.sent = append(c.sent[:0], c.sent[1:]...)
	select {
	case <-b.done:
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
	err := c.flush(b)
	clear(b.jobs)
	clear(b.out)
	b.jobs, b.out = b.jobs[:0], b.out[:0]
	c.spare = append(c.spare, b)
	return err
}

func (c *workers) flush(b *batch) error {
	if err := c.ctx.Err(); err != nil {
		return err // the batch may be incomplete
	}
	for i := range b.out {
		if c.failed = c.emit(&b.out[i]); c.failed != nil {
			return c.failed
		}
	}
	return nil
}
