package daemon

import (
	"os"
	"path/filepath"

	"handoff/workspace/reconcile"
	tasksync "handoff/workspace/sync"
)

// leaves reports whether to leave a task alone for now.
func (d *daemon) leaves(s reconcile.State) bool {
	if d.metadata.gone(s) && len(s.Create) == 0 {
		d.talk(func() { d.req.Say(s.Metadata.Path + " was deleted: it is created again with the next handoff") })
	}
	return d.unfinished(s)
}

// unfinished reports whether a document of the task seems to be half written: it
// is young and lacks its last section. Such a task is scheduled again.
func (d *daemon) unfinished(s reconcile.State) bool {
	now := d.Now()
	for _, doc := range s.Documents {
		if tasksync.Complete(doc.Doc) {
			continue
		}
		st, err := os.Stat(filepath.Join(d.Root, filepath.FromSlash(doc.Path)))
		if err != nil {
			continue
		}
		// The age is negative if it was written after now was read.
		if age := now.Sub(st.ModTime()); age.Abs() < settled {
			d.later.put(s.Dir, now.Add(settled-age))
			return true
		}
	}
	return false
}
