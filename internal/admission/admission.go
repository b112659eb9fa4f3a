// Package admission starts work in the order of the requests, as long as all work in
// progress stays within a limit.
//
// It does not know what the sizes count: commands, bytes of requests.
package admission

import (
	"slices"
	"sync"
)

// Queue admits work up to a total size. A nil queue admits all work at once.
type Queue struct {
	mu      sync.Mutex
	size    int64
	taken   int64
	waiting []*Place // in order of arrival
}

// New returns a queue for work of that total size.
func New(size int64) *Queue { return &Queue{size: size} }

// Place is the place of one piece of work in a queue.
type Place struct {
	Turn chan struct{} // closed when it may begin
	size int64
}

// Enter takes the next place. Work that is larger than the queue's size waits until
// it is the only one.
func (q *Queue) Enter(size int64) *Place {
	p := &Place{Turn: make(chan struct{})}
	if q == nil {
		close(p.Turn)
		return p
	}
	p.size = min(size, q.size)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, p)
	q.admit()
	return p
}

// Leave gives up a place, before or after its turn.
func (q *Queue) Leave(p *Place) {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiting, p); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	} else {
		q.taken -= p.size
	}
	q.admit()
}

func (q *Queue) admit() {
	for len(q.waiting) > 0 && q.taken+q.waiting[0].size <= q.size {
		q.taken += q.waiting[0].size
		close(q.waiting[0].Turn)
		q.waiting = q.waiting[1:]
	}
}

// Load returns the total size of the work in progress and how many wait.
func (q *Queue) Load() (taken int64, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.taken, len(q.waiting)
}
