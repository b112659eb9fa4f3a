package documents

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"handoff"
	"handoff/artifact"
	"handoff/receipt"
	"handoff/reconcile"
	"handoff/workspace"
)

// Waiting is the newest handoff of a task that is not finished, and what became
// of it. If it is unclear which one is the newest, there are only the folder and
// the doubt.
type Waiting struct {
	Dir   string // the task folder below the root
	Row   Row
	Entry Entry
	At    handoff.Moment // when it was written, as far as that is known
	Waits bool
	Doubt string // why it is unclear whether it waits
	Life  receipt.Life
}

// ListWaiting finds the newest handoff of each task that is not finished and not
// archived, in no particular order, of those tasks that keep chooses by the name
// of a document in them. The error names the folders that could not be read;
// the list has all others.
func ListWaiting(ctx context.Context, w *workspace.Workspace, keep func(handoff.Name) bool) (list []Waiting, err error) {
	tasks, unread := w.Tasks(ctx)
	if len(tasks) == 0 && unread != nil {
		return nil, unread
	}
	tasks = slices.DeleteFunc(tasks, func(dir string) bool {
		name := handoff.ParseName(dir + "/" + handoff.Folder + "/x.md")
		return name.Archived() || !keep(name)
	})
	store, err := artifact.Open(w.Root)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	lives := livesOf(w, len(tasks))
	var mu sync.Mutex
	var workers sync.WaitGroup
	todo := make(chan []string, len(tasks)/waitingShare+1)
	for some := range slices.Chunk(tasks, waitingShare) {
		todo <- some
	}
	close(todo)
	for range min(runtime.GOMAXPROCS(0), len(todo)) {
		workers.Go(func() {
			load := reconcile.Loader{Brief: true}
			for some := range todo {
				for _, dir := range some {
					one, ok, err := waitingIn(w, &load, store, lives, dir)
					mu.Lock()
					if unread = errors.Join(unread, err); ok {
						list = append(list, one)
					}
					mu.Unlock()
				}
			}
		})
	}
	workers.Wait()
	return list, errors.Join(unread, ctx.Err())
}

// waitingShare is how many tasks a worker of ListWaiting takes at once.
const waitingShare = 32

// waitingIn looks at one task. ok is false if nothing in it can wait.
func waitingIn(w *workspace.Workspace, load *reconcile.Loader, store *artifact.Store, lives func(string) (receipt.Life, error), dir string) (one Waiting, ok bool, err error) {
	state, err := Load(w, load, store, dir)
	if err != nil {
		return one, false, err
	}
	state.Receipt = func(path string) (_ reconcile.Receipt, err error) {
		one.Life, err = lives(path)
		return receiptOf(&one.Life, w.Now()), err
	}
	wait := state.Wait()
	one.Dir, one.Doubt = dir, wait.Doubt
	if wait.Path == "" {
		return one, wait.Doubt != "", nil
	}
	one.Entry = Entry{Path: wait.Path, Name: wait.Name}
	one.Row = MakeRow(one.Entry, wait.Doc, nil)
	one.At, one.Waits = wait.At, wait.Waits
	return one, true, nil
}
