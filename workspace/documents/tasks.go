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
	return listTasks(ctx, w, keep, look{})
}

// Unfinished calls each for the tasks of [ListTasks] without the folders whose metadata shows that nothing
// is left to do. Their documents are not read, which takes most of the time where most tasks
// are finished. It does not list the documents of task folders, of which only those are looked at that decide what waits.
// It may pass over tasks that [Passes] accepts, if that is not nil. A task is valid during the call only.
func Unfinished(ctx context.Context, w *workspace.Workspace, keep func(handoff.Name) bool, passes Passes, each func(*Task)) error {
	_, err := listTasks(ctx, w, keep, look{unfinished: true, passes: passes, each: each})
	return err
}

// Passes reports whether a task is not needed of which it is certain that the document at a path waits and was never
// touched, and that no decision waits for a person. at is when it was written, as far as that is known.
type Passes func(at handoff.Moment, path string) bool

// look is what is asked of many tasks.
type look struct {
	unfinished bool        // leave out tasks of which nothing is left to do
	passes     Passes      // nil for none
	each       func(*Task) // gets each task, one at a time; nil for a list
}

func listTasks(ctx context.Context, w *workspace.Workspace, keep func(handoff.Name) bool, l look) (list []Task, err error) {
	all, unread := w.Tasks(ctx)
	if len(all) == 0 && unread != nil {
		return nil, unread
	}
	dirs := all
	if slices.ContainsFunc(all, func(dir string) bool { return !keep(TaskName(dir)) }) {
		dirs = slices.DeleteFunc(slices.Clone(all), func(dir string) bool { return !keep(TaskName(dir)) })
	}
	index := openIndex(w, len(dirs), len(all))
	defer index.close()
	list, err = readTasks(ctx, w, dirs, l, index)
	if unread == nil && err == nil {
		index.save(all)
	}
	elsewhere, more := (*Dates)(nil).ListChains(ctx, w, keep)
	if l.each == nil {
		list = append(list, elsewhere...)
	} else {
		for i := range elsewhere {
			l.each(&elsewhere[i])
		}
	}
	return list, errors.Join(unread, err, more)
}

// TaskName is the name of a document in a task folder.
func TaskName(dir string) handoff.Name {
	return handoff.ParseName(dir + "/" + handoff.Folder + "/x.md")
}

// ReadTasks looks at the tasks in some folders, in no particular order. The error names
// the folders that could not be read; the list has all others.
func ReadTasks(ctx context.Context, w *workspace.Workspace, dirs []string) (list []Task, unread error) {
	return readTasks(ctx, w, dirs, look{}, nil)
}

func readTasks(ctx context.Context, w *workspace.Workspace, dirs []string, l look, index *index) (list []Task, unread error) {
	store, err := artifact.Open(w.Root)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	r := reader{w: w, store: store, lives: livesOf(w, len(dirs)), look: l, index: index}
	if len(dirs) > 1 { // ask git once for all of them
		r.added = addedOnce(ctx, w)
	}
	if l.each == nil {
		list = make([]Task, len(dirs)) // a task is large: workers write it where it stays
	}
	var mu sync.Mutex
	if each := l.each; each != nil {
		r.each = func(t *Task) { mu.Lock(); defer mu.Unlock(); each(t) }
	}
	if passes := l.passes; passes != nil {
		dirs = scattered(dirs)
		r.passes = func(at handoff.Moment, path string) bool { mu.Lock(); defer mu.Unlock(); return passes(at, path) }
	}
	var workers sync.WaitGroup
	todo := make(chan int, len(dirs)/taskShare+1)
	for first := 0; first < len(dirs); first += taskShare {
		todo <- first
	}
	close(todo)
	work := func() {
		load := reconcile.Loader{Brief: true, Added: r.added}
		for first := range todo {
			some := dirs[first:min(first+taskShare, len(dirs))]
			var at []Task
			if list != nil {
				at = list[first : first+len(some)]
			}
			err := r.some(ctx, &load, some, at)
			mu.Lock()
			unread = errors.Join(unread, err)
			mu.Unlock()
		}
	}
	for range min(runtime.GOMAXPROCS(0), len(todo)) - 1 {
		workers.Go(work)
	}
	work() // here too, so that a few tasks start no thread
	workers.Wait()
	return slices.DeleteFunc(list, func(t Task) bool { return t.Dir == "" }), errors.Join(unread, ctx.Err())
}

// scattered puts tasks into another order. Often the later ones in a list are the newer ones: then a caller that keeps
// the newest would take almost each.
func scattered(dirs []string) []string {
	n, step := len(dirs), 7919 // a prime, so that each has its turn unless it divides their number
	if n%step == 0 {
		return dirs
	}
	to := make([]string, n)
	for i := range to {
		to[i] = dirs[i*step%n]
	}
	return to
}

// reader reads tasks, or takes what an index has of them.
type reader struct {
	w     *workspace.Workspace
	lives lives
	added func() map[string]time.Time
	store *artifact.Store
	index *index
	look
}

// some reads some tasks into a list of the same length, in which those stay empty that are left out, or hands each out. The error
// names those that could not be read.
func (r *reader) some(ctx context.Context, load *reconcile.Loader, dirs []string, list []Task) (unread error) {
	var one Task
	lives := histories{lives: r.lives, now: r.w.Now()}
	for i, dir := range dirs {
		if ctx.Err() != nil {
			return unread
		}
		lives.known = lives.known[:0]
		s, known := r.index.sight(dir, &lives, r.look)
		if !known {
			var err error
			if s, err = r.read(ctx, load, dir, &lives); err != nil {
				unread = errors.Join(unread, err)
				continue
			}
		}
		if s.only {
			continue
		}
		t := &one
		if list != nil {
			t = &list[i]
		}
		*t = s.task(&lives)
		if r.unfinished {
			t.Paths, t.Documents = nil, 0
		}
		if r.each != nil {
			r.each(t)
		}
	}
	return unread
}

// read reads a task. The result is for an index, too.
func (r *reader) read(ctx context.Context, load *reconcile.Loader, dir string, lives *histories) (s sight, err error) {
	if r.unfinished && load.Finished(r.w.Root, dir) {
		s = sight{dir: dir, finished: true, only: true, metadata: true}
		r.index.add(s)
		return s, nil
	}
	state, err := Load(ctx, r.w, load, r.store, dir)
	if err != nil {
		return s, err
	}
	s, lasts := sightOf(state, lives, r.index != nil)
	if lasts {
		r.index.add(s)
	}
	return s, nil
}

// taskShare is how many tasks a worker of ListTasks takes at once.
const taskShare = 32

// takeLast sets the newest document. If nothing can wait, because an agent asked for a
// person or the work is finished, that document can still be claimed: then its receipts
// are those of the task.
func (t *Task) takeLast(s sight, lives *histories) {
	t.Last = s.last
	if t.Row.Path != "" || t.Doubt != "" {
		return
	}
	life, err := lives.life(s.last.Path)
	if err != nil {
		return // the commands that read or write the receipts of the document report it
	}
	t.Life = life
	if !t.Status.Finished() && life.State(lives.now) == receipt.Claimed {
		t.Entry, t.Row, t.At = Entry{Path: s.last.Path, Name: handoff.ParseName(s.last.Path)}, t.Last, s.lastAt
	}
}
