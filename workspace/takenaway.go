package workspace

import (
	"os"
	"path/filepath"
	"sync"

	"handoff"
	"handoff/reconcile"
)

// takenAway remembers the tasks whose metadata was true, to tell metadata that
// was deleted from metadata that nobody has made yet. Leads read it, deal with
// it and delete it: made again at once, it would tell the next reader that
// somebody still waits. Any goroutine may use it.
type takenAway struct {
	mu    sync.Mutex
	tasks map[string]*stand
}

// stand is how the handoffs of a task stood when its metadata was last seen.
// The folder that is made again, or gets another document, has another time.
type stand struct {
	changed   int64 // the folder, in nanoseconds
	documents int
	said      bool // that the metadata is gone
}

func standOf(root, task string, documents int) (stand, bool) {
	if documents == 0 {
		return stand{}, false
	}
	st, err := os.Stat(filepath.Join(root, filepath.FromSlash(task), handoff.Folder))
	if err != nil {
		return stand{}, false
	}
	return stand{changed: st.ModTime().UnixNano(), documents: documents}, true
}

// note takes in a task that was looked at. Nothing to do and nothing to say of
// it means that its metadata names its handoffs.
func (t *takenAway) note(root string, s Synced) {
	now, ok := standOf(root, s.Plan.Dir, s.Documents)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !ok || !s.quiet() {
		delete(t.tasks, s.Plan.Dir)
		return
	}
	if t.tasks == nil {
		t.tasks = map[string]*stand{}
	}
	t.tasks[s.Plan.Dir] = &now
}

// is reports whether the metadata of a task was deleted and its handoffs are as
// they were; news, whether this is the first time.
func (t *takenAway) is(root string, s reconcile.State) (gone, news bool) {
	if s.Metadata.Src != nil || s.Metadata.Unreadable {
		return false, false
	}
	now, ok := standOf(root, s.Dir, len(s.Documents))
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.tasks[s.Dir]
	if !ok || was == nil || was.changed != now.changed || was.documents != now.documents {
		return false, false
	}
	news, was.said = !was.said, true
	return true, news
}
