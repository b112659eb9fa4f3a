package runner

import (
	"slices"
	"sync"
)

// Queue limits the number of concurrent commands. Runs wait in the order in which
// they were started.
type Queue struct {
	mu      sync.Mutex
	free    int
	waiting []*place
}

// NewQueue is a queue for n commands at once.
func NewQueue(n int) *Queue { return &Queue{free: n} }

// place is the place of one run.
type place struct {
	turn chan struct{} // closed when it is the run's turn
}

// enter takes the next place. In a nil queue nobody waits.
func (q *Queue) enter() *place {
	p := &place{make(chan struct{})}
	if q == nil {
		close(p.turn)
		return p
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.free > 0 {
		q.free--
		close(p.turn)
	} else {
		q.waiting = append(q.waiting, p)
	}
	return p
}

// leave gives up a place, before or after its turn.
func (q *Queue) leave(p *place) {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiting, p); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		return
	}
	if len(q.waiting) == 0 {
		q.free++
		return
	}
	close(q.waiting[0].turn)
	q.waiting = q.waiting[1:]
}
