package overview

import (
	"context"
	"errors"
	"maps"
	"path"
	"reflect"
	"sync"
	"time"

	"handoff/document/handoff"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/documents"
)

// readAll is how long a [Board] relies on notifications. Changes in git and deleted
// receipts are seen only when everything is read again.
const readAll = time.Minute

// Board keeps what it read of a workspace, for programs that show the overview while it
// changes: it reads only the tasks that changed. Any goroutine may use it. The zero value
// is ready, and is about one workspace.
type Board struct {
	mu     sync.Mutex
	tasks  map[string]documents.Task // by folder
	config config.Config             // with which they were read
	read   time.Time                 // when all were; zero for never
	seen   receipt.Seen
	dates  documents.Dates

	told    sync.Mutex // guards what follows, so that telling does not wait for reading
	changed map[string]bool
	all     bool
}

// Changed reports task folders that may have changed; none means that any may have.
func (b *Board) Changed(dirs ...string) {
	b.told.Lock()
	defer b.told.Unlock()
	if b.all = b.all || len(dirs) == 0; b.all {
		b.changed = nil
		return
	}
	if b.changed == nil {
		b.changed = map[string]bool{}
	}
	for _, dir := range dirs {
		b.changed[dir] = true
	}
}

// take returns the changes reported since the last call.
func (b *Board) take() (dirs map[string]bool, all bool) {
	b.told.Lock()
	defer b.told.Unlock()
	dirs, all = b.changed, b.all
	b.changed, b.all = nil, false
	return dirs, all
}

// Now is like the function [Now], if all changes were reported to Changed.
func (b *Board) Now(ctx context.Context, w *workspace.Workspace, o Options) (Overview, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.refresh(ctx, w)
	list := make([]documents.Task, 0, len(b.tasks))
	for dir, t := range b.tasks {
		if o.Archived || !documents.TaskName(dir).Archived() {
			list = append(list, t)
		}
	}
	elsewhere, unread := b.dates.ListChains(ctx, w, func(n handoff.Name) bool { return o.Archived || !n.Archived() }) // few, and cheap to read
	v, wrong := show(w, append(list, elsewhere...), o)
	return v, errors.Join(wrong, err, unread)
}

// refresh reads what changed. If a reader is cancelled, the next one reads the changes
// again.
func (b *Board) refresh(ctx context.Context, w *workspace.Workspace) error {
	now := time.Now()
	dirs, all := b.take()
	receipts, unclear := b.receipts(w)
	if all || unclear || b.tasks == nil || now.Sub(b.read) >= readAll || now.Before(b.read) || !reflect.DeepEqual(b.config, w.Config) {
		b.tasks, b.config, b.read = map[string]documents.Task{}, w.Config, now
	}
	present, err := w.Tasks(ctx)
	if len(present) == 0 && err != nil || ctx.Err() != nil {
		b.Changed()
		return errors.Join(err, ctx.Err())
	}
	here := make(map[string]bool, len(present))
	var todo []string
	for _, dir := range present {
		here[dir] = true
		t, known := b.tasks[dir]
		if !known || dirs[dir] || receipts[dir] || !t.Until.IsZero() && !w.Now().Before(t.Until) {
			todo = append(todo, dir)
		}
	}
	maps.DeleteFunc(b.tasks, func(dir string, _ documents.Task) bool { return !here[dir] })
	fresh, unread := documents.ReadTasks(ctx, w, todo)
	if ctx.Err() != nil {
		b.Changed()
		return ctx.Err()
	}
	for _, dir := range todo {
		delete(b.tasks, dir) // one that cannot be read now is tried again
	}
	for _, t := range fresh {
		b.tasks[t.Dir] = t
	}
	return errors.Join(err, unread)
}

// receipts are the folders of tasks whose receipts changed. unclear: one cannot be read,
// so which task it is about is not known.
func (b *Board) receipts(w *workspace.Workspace) (dirs map[string]bool, unclear bool) {
	store, err := w.Receipts()
	if err != nil {
		return nil, false // nothing can have been recorded
	}
	if b.seen == nil {
		b.seen = receipt.Seen{}
	}
	dirs = map[string]bool{}
	for life, err := range store.Changed(b.seen) {
		switch last := life.Last(); {
		case err != nil:
			unclear = true
		case last != nil:
			if p, ok := store.Place().InWorkspace(last.Name()); ok && path.Base(path.Dir(p)) == handoff.Folder {
				dirs[path.Dir(path.Dir(p))] = true
			}
		}
	}
	return dirs, unclear
}
