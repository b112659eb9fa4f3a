package workspace

import (
	"strings"
	"sync"

	"handoff"
	"handoff/reconcile"
)

// takenAway remembers the tasks that have metadata, to say it when that was
// deleted: leads read it, deal with it and delete it, and it stays away until
// the task has another handoff. Any goroutine may use it.
type takenAway struct {
	mu    sync.Mutex
	tasks map[string]bool // the folders of those that have some
}

// made takes in a task whose metadata was written.
func (t *takenAway) made(p reconcile.Plan) {
	for _, w := range p.Writes {
		if strings.HasSuffix(w.Path, "/"+handoff.MetadataFile) {
			t.set(p.Dir, true)
		}
	}
}

// news looks at a task, and reports whether its metadata was deleted since the
// last time.
func (t *takenAway) news(s reconcile.State) bool {
	there := s.Metadata.Src != nil || s.Metadata.Unreadable
	return t.set(s.Dir, there) && !there && len(s.Documents) > 0
}

// set notes whether a task has metadata, and returns whether it had.
func (t *takenAway) set(task string, has bool) (had bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tasks == nil {
		t.tasks = map[string]bool{}
	}
	had = t.tasks[task]
	if has {
		t.tasks[task] = true
	} else {
		delete(t.tasks, task)
	}
	return had
}
