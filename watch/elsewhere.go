package watch

import (
	"os"
	"path"
	"path/filepath"
	"sync/atomic"

	"github.com/fsnotify/fsnotify"

	"handoff/document/task"
	"handoff/internal/file/regular"
)

// Elsewhere is the path that represents all documents outside of task folders in the
// sets of Dirty. They are few and listed quickly, so it does not matter which one
// changed.
const Elsewhere = ""

// elsewhere are the places of documents outside of task folders. Any goroutine may use it.
type elsewhere struct{ layouts atomic.Pointer[task.Layouts] }

func (e *elsewhere) set(ls task.Layouts) { e.layouts.Store(&ls) }

func (e *elsewhere) get() task.Layouts {
	if ls := e.layouts.Load(); ls != nil {
		return *ls
	}
	return nil
}

// at reports what can be at a path: a document, or a folder that is watched. Without
// layouts it is neither.
func (e *elsewhere) at(rel string) (folder, document bool) {
	ls := e.get()
	if len(ls) == 0 || rel == "" {
		return false, false
	}
	return ls.Enters(rel), ls.Of(rel) != nil
}

// Layouts sets where documents outside of task folders are, after the configuration has
// changed. Everything is watched and reported again then.
func (w *Watcher) Layouts(ls task.Layouts) {
	if !ls.Same(w.elsewhere.get()) {
		w.elsewhere.set(ls)
		w.Rescan()
	}
}

// noteElsewhere records an event at a path where there may be a document outside of task
// folders, or a folder of them. The caller holds the lock.
func (n *notes) noteElsewhere(rel string, op fsnotify.Op, folder, document bool) {
	n.elsewhere = n.elsewhere || document
	switch {
	case !folder:
	case op.Has(fsnotify.Create):
		n.opened = append(n.opened, rel)
	case op.Has(fsnotify.Rename):
		n.moved = append(n.moved, rel)
	case op.Has(fsnotify.Remove):
		n.closed = append(n.closed, rel)
	}
}

// readElsewhere watches new folders of documents outside of task folders. It reports
// whether such documents may have changed. A renamed folder is in doubt: its watches
// report its old name.
func (f *folders) readElsewhere(n notes) (changed, doubt bool, err error) {
	changed = n.elsewhere
	for _, rel := range n.closed {
		delete(f.opened, rel) // its documents were removed first, which was noted
	}
	for _, rel := range n.moved {
		doubt = doubt || f.opened[rel]
	}
	for _, rel := range n.opened {
		found, err := f.enterElsewhere(rel)
		if err != nil {
			return false, false, err
		}
		changed = changed || found
	}
	return changed, doubt, nil
}

// enterElsewhere watches a folder and those below it, if documents of a layout may be in
// them, and reports whether one is. Symlinks are not followed. It watches first and lists
// then, so that a new document is seen in any case.
func (f *folders) enterElsewhere(rel string) (found bool, err error) {
	ls := f.elsewhere.get()
	if len(ls) == 0 || !ls.Enters(rel) || rel != "" && regular.KindOf(f.full(rel)) != regular.Dir {
		return false, nil
	}
	if rel != "" { // the root is watched
		if err := f.watch(f.full(rel)); err != nil {
			return false, err
		}
		f.opened[rel] = true
	}
	entries, _ := os.ReadDir(f.full(rel)) // none if it cannot be read, which the commands report
	for _, e := range entries {
		below := path.Join(rel, e.Name())
		if !e.IsDir() {
			_, document := f.elsewhere.at(below)
			found = found || document
			continue
		}
		more, err := f.enterElsewhere(below)
		if err != nil {
			return false, err
		}
		found = found || more
	}
	return found, nil
}

// count is the number of folders below one that are watched for documents outside of task
// folders.
func (e *elsewhere) count(root, rel string) (n int) {
	ls := e.get()
	if len(ls) == 0 {
		return 0
	}
	entries, _ := os.ReadDir(filepath.Join(root, filepath.FromSlash(rel)))
	for _, entry := range entries {
		if below := path.Join(rel, entry.Name()); entry.IsDir() && ls.Enters(below) {
			n += 1 + e.count(root, below)
		}
	}
	return n
}
