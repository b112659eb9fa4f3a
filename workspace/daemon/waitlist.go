package daemon

import (
	"slices"
	"sync"
	"time"
)

// waitlist is tasks to look at later. Any goroutine may use it.
type waitlist struct {
	mu sync.Mutex
	at map[string]time.Time
}

func (l *waitlist) put(task string, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at == nil {
		l.at = map[string]time.Time{}
	}
	l.at[task] = at
}

func (l *waitlist) drop(tasks []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, task := range tasks {
		delete(l.at, task)
	}
}

func (l *waitlist) size() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.at)
}

// due are the tasks whose time has passed, sorted.
func (l *waitlist) due(now time.Time) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var due []string
	for task, at := range l.at {
		if !at.After(now) {
			due = append(due, task)
		}
	}
	slices.Sort(due)
	return due
}

// all are all tasks, sorted.
func (l *waitlist) all() []string { return l.due(time.Unix(1<<40, 0)) }

// next is the time until the first is due.
func (l *waitlist) next(now time.Time) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, at := range l.at {
		if d := max(at.Sub(now), time.Millisecond); !ok || d < wait {
			wait, ok = d, true
		}
	}
	return wait, ok
}

// last is the time until the last of some tasks is due.
func (l *waitlist) last(tasks []string, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, task := range tasks {
		wait = max(wait, l.at[task].Sub(now))
	}
	return wait
}
