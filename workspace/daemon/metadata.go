package daemon

import (
	"strings"
	"sync"

	"handoff/document/handoff"
	"handoff/workspace/reconcile"
)

// metadataSeen remembers which tasks have metadata, to report when it was deleted.
// Leads read metadata, act on it and delete it; it is not created again before the
// task has another handoff. Any goroutine may use it.
type metadataSeen struct {
	tasks sync.Map // folders of tasks that have metadata
}

// made records a task whose metadata was written.
func (t *metadataSeen) made(p reconcile.Plan) {
	for _, w := range p.Writes {
		if strings.HasSuffix(w.Path, "/"+handoff.MetadataFile) {
			t.set(p.Dir, true)
		}
	}
}

// gone reports whether the metadata of a task was deleted since the last call.
func (t *metadataSeen) gone(s reconcile.State) bool {
	exists := s.Metadata.Src != nil || s.Metadata.Unreadable
	return t.set(s.Dir, exists) && !exists && len(s.Documents) > 0
}

// set records whether a task has metadata, and returns whether it had any.
func (t *metadataSeen) set(task string, has bool) (had bool) {
	if has {
		_, had = t.tasks.Swap(task, true)
	} else {
		_, had = t.tasks.LoadAndDelete(task)
	}
	return had
}
