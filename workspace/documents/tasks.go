package documents

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/reconcile"
)

// Task is a task folder: its newest handoff, if it may wait, and its metadata.
type Task struct {
	Waiting
	Status    reconcile.Status
	Chain     string   // see [Entry.Chain]; its folder, if it has one, and the path of a document that is open beside the newest
	Documents int      // handoffs in the folder
	Paths     []string // of them, the newest first
	Last      Row      // the last of them by time, phase and name, also of a finished task; zero without one
	// Until is when these facts may change by the clock alone: the end of a lease, or
	// now for a document that is dated in the future. It is zero for never.
	Until time.Time
}

// ListTasks looks at each task that keep chooses by the name of a document in it, in no
// particular order. The error names the folders that could not be read; the
// list has all others.
func ListTasks(ctx context.Context, w *workspace.Workspace, keep func(handoff.Name) bool) (list []Task, err error) {
	return listTasks(ctx, w, keep, false)
}

// ListUnfinished is [ListTasks] without the folders of tasks whose metadata shows that nothing
// is left to do. Their documents are not read, which takes most of the time where most tasks
// are finished.
func ListUnfinished(ctx context.Context, w *workspace.Workspace, keep func(handoff.Name) bool) (list []Task, err error) {
	return listTasks(ctx, w, keep, true)
}

func listTasks(ctx context.Context, w *workspace.Workspace, keep func(handoff.Name) bool, unfinished bool) (list []Task, err error) {
	dirs, unread := w.Tasks(ctx)
	if len(dirs) == 0 && unread != nil {
		return nil, unread
	}
	dirs = slices.DeleteFunc(dirs, func(dir string) bool { return !keep(TaskName(dir)) })
	list, err = readTasks(ctx, w, dirs, unfinished)
	elsewhere, more := (*Dates)(nil).ListChains(ctx, w, keep)
	return append(list, elsewhere...), errors.Join(unread, err, more)
}

// TaskName is the name of a document in a task folder.
func TaskName(dir string) handoff.Name {
	return handoff.ParseName(dir + "/" + handoff.Folder + "/x.md")
}

// ReadTasks looks at the tasks in some folders, in no particular order. The error names
// the folders that could not be read; the list has all others.
func ReadTasks(ctx context.Context, w *workspace.Workspace, dirs []string) (list []Task, unread error) {
	return readTasks(ctx, w, dirs, false)
}

func readTasks(ctx context.Context, w *workspace.Workspace, dirs []string, unfinished bool) (list []Task, unread error) {
	store, err := artifact.Open(w.Root)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	lives := livesOf(w, len(dirs))
	var added func() map[string]time.Time
	if len(dirs) > 1 { // ask git once for all of them
		added = addedOnce(ctx, w)
	}
	var mu sync.Mutex
	var workers sync.WaitGroup
	todo := make(chan []string, len(dirs)/taskShare+1)
	for some := range slices.Chunk(dirs, taskShare) {
		todo <- some
	}
	close(todo)
	work := func() {
		load := reconcile.Loader{Brief: true, Added: added}
		for some := range todo {
			for _, dir := range some {
				if ctx.Err() != nil {
					return
				}
				if unfinished && load.Finished(w.Root, dir) {
					continue
				}
				one, err := taskIn(ctx, w, &load, store, lives, dir)
				mu.Lock()
				if unread = errors.Join(unread, err); err == nil {
					list = append(list, one)
				}
				mu.Unlock()
			}
		}
	}
	for range min(runtime.GOMAXPROCS(0), len(todo)) - 1 {
		workers.Go(work)
	}
	work() // here too, so that a few tasks start no thread
	workers.Wait()
	return list, errors.Join(unread, ctx.Err())
}

// taskShare is how many tasks a worker of ListTasks takes at once.
const taskShare = 32

func taskIn(ctx context.Context, w *workspace.Workspace, load *reconcile.Loader, store *artifact.Store, lives func(string) (receipt.Life, error), dir string) (t Task, err error) {
	state, err := Load(ctx, w, load, store, dir)
	if err != nil {
		return t, err
	}
	t.Waiting, t.Chain = waitingIn(w, state, lives), dir
	t.Status, t.Documents = reconcile.StatusOf(state.Metadata), len(state.Documents)
	for _, d := range slices.Backward(state.Documents) {
		t.Paths = append(t.Paths, d.Path)
	}
	if t.Documents > 0 {
		t.takeLast(state.Documents[t.Documents-1], lives, w.Now())
	}
	switch now := w.Now(); {
	case state.Ahead():
		t.Until = now
	case t.Life.State(now) == receipt.Claimed:
		t.Until = t.Life.Claim.Until
	}
	return t, nil
}

// takeLast sets the newest document. If nothing can wait, because an agent asked for a
// person or the work is finished, that document can still be claimed: then its receipts
// are those of the task.
func (t *Task) takeLast(last reconcile.Document, lives func(string) (receipt.Life, error), now time.Time) {
	e := Entry{Path: last.Path, Name: last.Name}
	t.Last = MakeRow(e, last.Doc, nil)
	if t.Row.Path != "" || t.Doubt != "" {
		return
	}
	life, err := lives(e.Path)
	if err != nil {
		return // the commands that read or write the receipts of the document report it
	}
	t.Life = life
	if !t.Status.Finished() && life.State(now) == receipt.Claimed {
		t.Entry, t.Row, t.At = e, t.Last, handoff.WrittenBy(e.Name, last.Doc).At
	}
}
