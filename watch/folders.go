package watch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"handoff"
)

// change is what happened at a path.
type change uint8

const (
	written  change = iota // a file was written, and closed where that is known
	begun                  // a file was made, which is written now unless it was made by link
	appeared               // something is there: made, or moved here
	removed
	renamed // moved away
)

// event is a hint of the system.
type event struct {
	path string // below the root, with forward slashes
	what change
	file bool // it is known to be no folder
}

// folders watches the folders of a workspace. One goroutine takes events in as
// they come and only notes them, so that the system's queue does not run over
// while somebody reads a folder; another works on the notes.
type folders struct {
	root string
	add  func(n *notifier, root, dir, name string) error // watches a folder; tests let it fail
	wake chan struct{}                                   // has a value when there are notes

	system *notifier
	mark   sync.Mutex // of tasks
	tasks  map[string]bool

	mu    sync.Mutex
	notes notes
}

// notes is what was seen since somebody last looked.
type notes struct {
	tasks map[string]bool // something in them changed; true: and no more is to come of it
	made  []string        // folders, or files, that appeared, in order
	gone  []string        // things that were removed
	doubt bool            // something cannot be known from events
}

func newFolders(root string) *folders {
	return &folders{root: root, wake: make(chan struct{}, 1), add: (*notifier).add}
}

func (f *folders) full(rel string) string { return filepath.Join(f.root, filepath.FromSlash(rel)) }

// reset watches all folders with a new watcher: the old one can have watches
// whose folders were renamed, and reports those under names that are not
// theirs any more, even after they are watched under the new one. It returns
// all tasks.
func (f *folders) reset() (tasks []string, err error) {
	fresh, err := newNotifier()
	if err != nil {
		return nil, limited(err)
	}
	old := f.system
	f.system, f.tasks = fresh, map[string]bool{}
	f.take() // what it says of the old folders is no more of interest
	go fresh.run(f.root, f.note, f.doubt)
	if old != nil {
		old.close()
	}
	if _, err := f.watch("", ""); err != nil {
		return nil, err
	}
	return f.enter(handoff.Root)
}

func (f *folders) stop() {
	if f.system != nil {
		f.system.close()
	}
}

// doubt notes that events were lost, or worse.
func (f *folders) doubt() {
	f.mu.Lock()
	f.notes.doubt = true
	f.mu.Unlock()
	f.signal()
}

func (f *folders) signal() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *folders) note(e event) {
	p := placeOf(e.path)
	if !p.content && (!p.folder || e.file) {
		return
	}
	f.mu.Lock()
	defer f.signal()
	defer f.mu.Unlock()
	n := &f.notes
	switch {
	case p.content:
		if n.tasks == nil {
			n.tasks = map[string]bool{}
		}
		n.tasks[p.task] = n.tasks[p.task] || e.what != begun
	case e.what == appeared:
		n.made = append(n.made, e.path)
	case e.what == renamed:
		n.doubt = true
	case e.what == removed:
		n.gone = append(n.gone, e.path)
	}
}

// take returns the notes and begins new ones.
func (f *folders) take() notes {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.notes
	f.notes = notes{}
	return n
}

// read works on notes: it watches new folders and returns the tasks that may
// have changed, apart from those of which more is to come. doubt reports that
// this cannot be all.
func (f *folders) read(n notes) (tasks, more []string, doubt bool, err error) {
	for _, rel := range n.gone {
		delete(f.tasks, rel)
		if p := placeOf(rel); p.task != "" && p.task != rel {
			tasks = append(tasks, p.task)
		}
	}
	for _, rel := range n.made {
		below, err := f.enter(rel)
		if err != nil {
			return nil, nil, false, err
		}
		tasks = append(tasks, below...)
	}
	for t, all := range n.tasks {
		if all {
			tasks = append(tasks, t)
		} else {
			more = append(more, t)
		}
	}
	gone := func(t string) bool {
		if isFolder(f.full(t)) {
			return false
		}
		n.doubt = n.doubt || f.tasks[t] // nobody said that it is gone
		return true
	}
	return slices.DeleteFunc(tasks, gone), slices.DeleteFunc(more, gone), n.doubt, nil
}

// enter watches a folder and what matters below it, and returns the tasks
// found. What is no folder, or is gone again, is nothing.
func (f *folders) enter(rel string) (tasks []string, err error) {
	p := placeOf(rel)
	switch {
	case !p.folder:
		return nil, nil
	case p.task == rel:
		there, err := f.enterTask(rel)
		if !there {
			return nil, err
		}
		return []string{rel}, err
	}
	// Watch first, list then: what comes between is seen twice, not never.
	if there, err := f.watch(rel, ""); !there {
		return nil, err
	}
	if p.task != "" {
		return []string{p.task}, nil
	}
	entries, err := os.ReadDir(f.full(rel))
	if err != nil {
		return nil, nil // gone again, or unreadable: sync says so
	}
	var groups []string
	for _, e := range entries {
		switch below := rel + "/" + e.Name(); {
		case !e.IsDir() || passedOver(e.Name()):
		case isTask(e.Name()):
			tasks = append(tasks, below)
		default:
			groups = append(groups, below)
		}
	}
	if err := f.enterTasks(tasks); err != nil {
		return nil, err
	}
	for _, group := range groups {
		below, err := f.enter(group)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, below...)
	}
	return tasks, nil
}

// enterTasks watches many tasks at once: half of it is asking what there is.
func (f *folders) enterTasks(tasks []string) error {
	const share = 256
	var wait sync.WaitGroup
	failed := make(chan error, len(tasks)/share+1)
	for some := range slices.Chunk(tasks, share) {
		wait.Go(func() {
			for _, task := range some {
				if _, err := f.enterTask(task); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	wait.Wait()
	close(failed)
	return <-failed
}

func (f *folders) enterTask(task string) (there bool, err error) {
	if there, err := f.watch(task, ""); !there {
		return false, err
	}
	f.mark.Lock()
	f.tasks[task] = true
	f.mark.Unlock()
	for _, name := range folderNames {
		if _, err := f.watch(task, name); err != nil {
			return true, err
		}
	}
	return true, nil
}

// watch watches the folder name in dir, or dir itself, if it is still there.
func (f *folders) watch(dir, name string) (there bool, err error) {
	switch err := f.add(f.system, f.root, dir, name); {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR):
		return false, nil
	default:
		return false, limited(err)
	}
}

func isFolder(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.IsDir()
}

// join puts a name behind a path with a slash; "" is left out. Every system
// takes slashes.
func join(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "/" + name
}
