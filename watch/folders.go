package watch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/file/regular"
)

// folders watches the folders of a workspace. One goroutine receives events and
// only records them, so that the system's queue does not overflow while another
// goroutine reads folders.
type folders struct {
	root   string
	add    func(*fsnotify.Watcher, string) error // watches a folder; tests replace it to make it fail
	wake   chan struct{}                         // has a value if there are notes
	linked func(path string)                     // see [Options]
	keep   []string                              // see [Options]
	lost   chan struct{}                         // has a value if one of them may have been removed

	fs     *fsnotify.Watcher
	tasks  map[string]bool // those that are watched
	opened map[string]bool // the folders that are watched for documents elsewhere

	elsewhere *elsewhere
	backlog   *backlog
	marks     *marks

	mu    sync.Mutex
	notes notes
}

// notes are the changes recorded since the last take.
type notes struct {
	tasks map[string]bool // something in them changed
	made  []string        // folders, or files, that were created, in order
	gone  []string        // files and folders that were removed
	doubt bool            // events do not show what happened
	kept  bool            // the folder of the files to keep was created

	// The same of documents outside of task folders: folders, or files, that were
	// created, removed and renamed.
	elsewhere             bool
	opened, closed, moved []string
}

func newFolders(o Options) *folders {
	return &folders{root: o.Root, linked: o.Linked, keep: o.Keep, add: (*fsnotify.Watcher).Add,
		wake: make(chan struct{}, 1), lost: make(chan struct{}, 1),
		elsewhere: &elsewhere{}, backlog: &backlog{}, marks: &marks{}}
}

// full is the path of a folder that fsnotify gets and reports.
func (f *folders) full(rel string) string {
	return f.root + string(filepath.Separator) + filepath.FromSlash(rel)
}

// reset watches all folders with a new watcher. The old one may have watches of
// renamed folders, and would report their old names even after they are watched
// under the new ones. reset sends all tasks; if found fails, it returns that
// error.
func (f *folders) reset(found func(tasks []string) error) error {
	fresh, err := fsnotify.NewBufferedWatcher(64)
	if err != nil {
		return limited(err)
	}
	old := f.fs
	f.fs, f.tasks, f.opened = fresh, map[string]bool{}, map[string]bool{}
	f.take() // about the old folders
	go f.drain(fresh)
	f.marks.use(fresh)
	if old != nil {
		old.Close()
	}
	f.marks.all() // their events would have come from the old one
	if err := f.watch(f.root); err != nil {
		return err
	}
	if err := f.watchKept(); err != nil {
		return err
	}
	if _, err := f.enterElsewhere(""); err != nil {
		return err
	}
	return f.enter(handoff.Root, found)
}

func (f *folders) stop() {
	f.marks.use(nil)
	if f.fs != nil {
		f.fs.Close()
	}
}

// drain records events until the watcher is closed.
func (f *folders) drain(w *fsnotify.Watcher) {
	for {
		select {
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			f.note(e)
		case _, ok := <-w.Errors: // lost events, or worse
			if !ok {
				return
			}
			f.mu.Lock()
			f.notes.doubt = true
			f.backlog.noted.Store(true)
			f.mu.Unlock()
			signal(f.wake)
			f.marks.all()
		}
	}
}

// keptIn is the folder of the files to keep; "" if there are none.
func (f *folders) keptIn() string {
	if len(f.keep) == 0 {
		return ""
	}
	return path.Dir(f.keep[0])
}

// watchKept watches the folder of the files to keep, which may have been created again.
// Earlier changes of the files are unknown, so it signals.
func (f *folders) watchKept() error {
	if f.keptIn() == "" {
		return nil
	}
	defer signal(f.lost)
	return f.watch(f.full(f.keptIn()))
}

// noteKept records an event about a file to keep or its folder.
func (f *folders) noteKept(rel string, op fsnotify.Op) {
	switch {
	case op.Has(fsnotify.Remove) || op.Has(fsnotify.Rename):
		signal(f.lost)
	case op.Has(fsnotify.Create) && rel == f.keptIn():
		f.mu.Lock()
		f.notes.kept = true
		f.backlog.noted.Store(true)
		f.mu.Unlock()
		signal(f.wake)
	}
}

func (f *folders) note(e fsnotify.Event) {
	if f.marks.see(e.Name) {
		return
	}
	rel, ok := strings.CutPrefix(filepath.ToSlash(e.Name), filepath.ToSlash(f.root))
	if !ok || e.Op&^fsnotify.Chmod == 0 {
		return
	}
	rel = strings.TrimPrefix(rel, "/")
	if slices.Contains(f.keep, rel) || rel != "" && rel == f.keptIn() {
		f.noteKept(rel, e.Op)
		return
	}
	p := placeOf(rel)
	root := rel == "" && e.Op&(fsnotify.Rename|fsnotify.Remove) != 0
	folder, document := f.elsewhere.at(rel)
	if !p.folder && !p.content && !root && !folder && !document {
		return
	}
	f.mu.Lock()
	defer signal(f.wake)
	defer f.mu.Unlock()
	f.backlog.noted.Store(true)
	n := &f.notes
	n.noteElsewhere(rel, e.Op, folder, document)
	switch {
	case root:
		n.doubt = true
	case p.content:
		if n.tasks == nil {
			n.tasks = map[string]bool{}
		}
		n.tasks[p.task] = true
	case !p.folder:
	case e.Has(fsnotify.Create):
		n.made = append(n.made, rel)
	case e.Has(fsnotify.Rename):
		n.doubt = true
	case e.Has(fsnotify.Remove):
		n.gone = append(n.gone, rel)
	}
}

// take returns the notes and starts new ones. From now on they are being read.
func (f *folders) take() notes {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.backlog.reading.Store(true)
	f.backlog.noted.Store(false)
	n := f.notes
	f.notes = notes{}
	return n
}

// read processes notes: it watches new folders and returns the tasks that may
// have changed, and [Elsewhere]. The second result reports doubt.
func (f *folders) read(n notes) (tasks []string, doubt bool, err error) {
	if n.kept {
		if err := f.watchKept(); err != nil {
			return nil, false, err
		}
	}
	for _, rel := range n.gone {
		delete(f.tasks, rel)
		if p := placeOf(rel); p.task != "" && p.task != rel {
			tasks = append(tasks, p.task)
		}
	}
	for _, rel := range n.made {
		if err := f.enter(rel, func(below []string) error { tasks = append(tasks, below...); return nil }); err != nil {
			return nil, false, err
		}
	}
	for t := range n.tasks {
		tasks = append(tasks, t)
	}
	there := tasks[:0]
	for _, t := range tasks {
		if _, err := os.Lstat(f.full(t)); err == nil {
			there = append(there, t)
		} else if f.tasks[t] {
			n.doubt = true // there was no event for its removal
		}
	}
	elsewhere, doubt, err := f.readElsewhere(n)
	if elsewhere {
		there = append(there, Elsewhere)
	}
	return there, n.doubt || doubt, err
}

// enter watches a folder and the relevant folders below it, and sends the tasks
// found, each when all of its folders are watched: then its files can be read
// without missing a change. It ignores what is not a folder, or was removed
// again.
func (f *folders) enter(rel string, found func(tasks []string) error) error {
	p := placeOf(rel)
	if !p.folder {
		return nil
	}
	switch regular.KindOf(f.full(rel)) {
	case regular.Dir:
		return f.enterFolder(rel, found)
	case regular.Link:
		return f.enterLink(p, rel, found)
	}
	return nil
}

// enterLink handles a symlink that was created instead of a folder. It is not
// followed; if it replaces a folder of a task, the task changed.
func (f *folders) enterLink(p place, rel string, found func(tasks []string) error) error {
	switch p.task {
	case rel:
		f.linked(rel)
	case "":
		if rel == handoff.Root {
			f.linked(rel)
		}
	default:
		return found([]string{p.task})
	}
	return nil
}

// enterFolder enters a path that is known to be a folder.
func (f *folders) enterFolder(rel string, found func(tasks []string) error) error {
	p := placeOf(rel)
	if p.task == rel {
		if err := f.enterTask(rel); err != nil {
			return err
		}
		return found([]string{rel})
	}
	// Watch first, then list: a change between the two is seen twice, not
	// missed.
	if err := f.watch(f.full(rel)); err != nil {
		return err
	}
	if p.task != "" {
		return found([]string{p.task})
	}
	return f.walk(task.Found{Path: rel, Kind: task.Group}, found)
}

// walk watches the folders between specs and the tasks, and the tasks in them.
// It uses one goroutine, because fsnotify adds one folder at a time.
func (f *folders) walk(from task.Found, found func(tasks []string) error) error {
	var some []string
	w := task.Walker{Root: f.root, Failed: func(task.Found, error) error { return nil }} // removed, or unreadable, which sync reports
	w.Visit = func(at task.Found) error {
		switch at.Kind {
		case task.Link:
			f.linked(at.Path)
		case task.Group: // before it is listed
			return f.watch(f.full(at.Path))
		case task.Task:
			if err := f.enterTask(at.Path); err != nil {
				return err
			}
			if some = append(some, at.Path); len(some) == setTasks {
				set := some
				some = nil
				return found(set)
			}
		}
		return nil
	}
	if err := w.Walk(context.Background(), from); err != nil || len(some) == 0 {
		return err
	}
	return found(some)
}

func (f *folders) enterTask(task string) error {
	full := f.full(task)
	if err := f.watch(full); err != nil {
		return err
	}
	f.tasks[task] = true
	for _, name := range folderNames {
		if below := full + string(filepath.Separator) + name; isFolder(below) {
			if err := f.watch(below); err != nil {
				return err
			}
		}
	}
	return nil
}

// watch watches one folder, if it still exists.
func (f *folders) watch(full string) error {
	switch err := f.add(f.fs, full); {
	case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR):
		return nil
	default:
		return limited(err)
	}
}

func isFolder(path string) bool { return regular.KindOf(path) == regular.Dir }

func isLink(path string) bool { return regular.KindOf(path) == regular.Link }
