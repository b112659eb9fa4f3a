//go:build linux

package main

import "sync"

// batch is a part of the walk: folders of one parent, by name.
type batch struct {
	parent string
	names  []string
}

// queue passes batches to workers and detects the end of the walk: when no
// batch waits and no worker is busy, no more batches can come.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond
	waiting []batch
	working int
}

func newQueue(first batch) *queue {
	q := &queue{waiting: []batch{first}}
	q.changed.L = &q.mu
	return q
}

func (q *queue) put(b batch) {
	q.mu.Lock()
	q.waiting = append(q.waiting, b)
	q.mu.Unlock()
	q.changed.Signal()
}

// take waits for a batch; ok is false when the walk has ended. A worker calls
// done after each batch.
func (q *queue) take() (b batch, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 {
		if q.working == 0 {
			return batch{}, false
		}
		q.changed.Wait()
	}
	last := len(q.waiting) - 1
	b, q.waiting = q.waiting[last], q.waiting[:last]
	q.working++
	return b, true
}

func (q *queue) done() {
	q.mu.Lock()
	q.working--
	over := q.working == 0 && len(q.waiting) == 0
	q.mu.Unlock()
	if over {
		q.changed.Broadcast()
	}
}
