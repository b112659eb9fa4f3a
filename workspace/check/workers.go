package check

import (
	"context"
	"runtime"
	"sync"
)

// crew checks what it is given with a worker for each processor, and hands on
// the results in the order in which it was given the jobs. Only the one who
// calls it hands on, while it waits; what waits is bounded.
//
// Jobs go to the workers in batches: a folder is checked in less time than it
// takes to wake another thread for it. A check that fits into one batch, of a
// commit or a file, starts no worker at all.
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
	failed  error // of emit: nothing is handed on after it
}

// batch is a share of the work and what came of it.
type batch struct {
	jobs []job
	out  []Result
	done chan struct{} // gets a value when out is complete
}

const (
	batchJobs     = 16
	batchesAtOnce = 3 // for each worker: one at work, and more to go on with
)

func newWorkers(ctx context.Context, l *checker, emit func(*Result) error) *workers {
	return &workers{ctx: ctx, checker: l, emit: emit, filling: newBatch()}
}

func newBatch() *batch { return &batch{done: make(chan struct{}, 1)} }

// add takes in a job. It returns an error when there is no use in more.
func (c *workers) add(j job) error {
	c.filling.jobs = append(c.filling.jobs, j)
	if len(c.filling.jobs) < batchJobs {
		return nil
	}
	return c.send()
}

// finish hands on all that is left.
func (c *workers) finish() error {
	if c.failed != nil {
		return c.failed
	}
	if c.running == 0 {
		w := newWorker(c.ctx, c.checker)
		w.run(c.filling)
		return c.handOn(c.filling)
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

// oldest waits for the batch that was sent first and hands on its results.
func (c *workers) oldest() error {
	b := c.sent[0]
	c.sent = append(c.sent[:0], c.sent[1:]...)
	select {
	case <-b.done:
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
	err := c.handOn(b)
	clear(b.jobs)
	clear(b.out)
	b.jobs, b.out = b.jobs[:0], b.out[:0]
	c.spare = append(c.spare, b)
	return err
}

func (c *workers) handOn(b *batch) error {
	if err := c.ctx.Err(); err != nil {
		return err // the batch may have been left half done
	}
	for i := range b.out {
		if c.failed = c.emit(&b.out[i]); c.failed != nil {
			return c.failed
		}
	}
	return nil
}
