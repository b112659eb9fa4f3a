package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
)

// start watches a new workspace; the test's end ends it.
func start(t *testing.T, opt Options) (*Watcher, string) {
	t.Helper()
	if opt.Root == "" {
		opt.Root = t.TempDir()
	}
	w, _ := open(t, opt)
	return w, opt.Root
}

// open watches a workspace and returns the tasks there were at first, sorted.
func open(t *testing.T, opt Options) (w *Watcher, first []string) {
	t.Helper()
	w = Open(opt)
	t.Cleanup(func() {
		w.Close()
		for range w.Dirty {
		}
	})
	return w, takeFirst(t, w)
}

func takeFirst(t *testing.T, w *Watcher) (first []string) {
	t.Helper()
	for some := range w.First {
		first = append(first, some...)
	}
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(first)
	return first
}

// await takes sets until each of the tasks was named.
func await(t *testing.T, w *Watcher, tasks ...string) {
	t.Helper()
	missing := map[string]bool{}
	for _, task := range tasks {
		missing[task] = true
	}
	for len(missing) > 0 {
		for _, task := range waittest.For(t, fmt.Sprintf("%v to be named", missing), w.Dirty) {
			delete(missing, task)
		}
	}
}

// quiet waits until nothing more is named.
func quiet(w *Watcher) {
	for {
		select {
		case <-w.Dirty:
		case <-time.After(150 * time.Millisecond):
			return
		}
	}
}

// namedSoFar are the tasks that what happened so far names. Events keep their
// order: the last of them is one of a task that is made for this.
func namedSoFar(t *testing.T, w *Watcher, root string) (tasks []string) {
	t.Helper()
	last := fmt.Sprintf("specs/9_%d", time.Now().UnixNano())
	put(t, root, last+"/.return-meta.json", "{}")
	for {
		set := waittest.For(t, last+" to be named", w.Dirty)
		for _, task := range set {
			if !strings.HasPrefix(task, "specs/9_") {
				tasks = append(tasks, task)
			}
		}
		if slices.Contains(set, last) {
			return tasks
		}
	}
}

func put(t *testing.T, root, path, text string) {
	t.Helper()
	full := filepath.Join(root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, root, from, to string) {
	t.Helper()
	if err := os.Rename(filepath.Join(root, from), filepath.Join(root, to)); err != nil {
		t.Fatal(err)
	}
}

const doc = "/handoffs/phase-1-handoff-20260101T000000Z.md"

func TestFirstSetHasAll(t *testing.T) {
	root := t.TempDir()
	put(t, root, "specs/1_a"+doc, "x")
	put(t, root, "specs/archive/2_b"+doc, "x")
	_, first := open(t, Options{Root: root})
	if got := strings.Join(first, " "); got != "specs/1_a specs/archive/2_b" {
		t.Errorf("got %s", got)
	}
}

// A task is reported once it is watched: later changes of it are reported even
// if other tasks are not watched yet.
func TestFirstWhileWatching(t *testing.T) {
	root := t.TempDir()
	for i := range 2 * setTasks {
		put(t, root, fmt.Sprintf("specs/%03d_a%s", i, doc), "x")
	}
	w := &Watcher{opt: Options{Root: root}.withDefaults()}
	f := newFolders(Options{Root: root}.withDefaults())
	last := filepath.Join(root, "specs", fmt.Sprintf("%03d_a", 2*setTasks-1))
	more := make(chan struct{})
	f.add = func(w *fsnotify.Watcher, path string) error {
		if path == last {
			<-more
		}
		return w.Add(path)
	}
	w.begin(f)
	t.Cleanup(func() {
		w.Close()
		for range w.Dirty {
		}
	})
	first := <-w.First
	for _, task := range first {
		put(t, root, task+"/handoffs/phase-2-handoff-20260101T000000Z.md", "x")
	}
	close(more)
	if rest := takeFirst(t, w); len(first) != setTasks || len(rest) != setTasks || w.Found() != 2*setTasks {
		t.Errorf("first %d tasks, then %d; found %d", len(first), len(rest), w.Found())
	}
	await(t, w, first...)
}

func TestNewFolders(t *testing.T) {
	w, root := start(t, Options{Quiet: DefaultQuiet})
	var tasks []string
	for i := range 300 {
		task := fmt.Sprintf("specs/%d_x", i+1)
		put(t, root, task+doc, "x")
		tasks = append(tasks, task)
	}
	await(t, w, tasks...)
	quiet(w)
	for i := range 300 { // they are watched, too
		put(t, root, fmt.Sprintf("specs/%d_x/handoffs/phase-2-handoff-20260101T000000Z.md", i+1), "x")
	}
	await(t, w, tasks...)
}

func TestArchivedTask(t *testing.T) {
	root := t.TempDir()
	put(t, root, "specs/259_x"+doc, "x")
	put(t, root, "specs/archive/1_y"+doc, "x")
	w, _ := start(t, Options{Root: root, Quiet: DefaultQuiet})
	quiet(w)
	rename(t, root, "specs/259_x", "specs/archive/259_x")
	await(t, w, "specs/archive/259_x")
	quiet(w)
	put(t, root, "specs/archive/259_x/handoffs/phase-2-handoff-20260101T000000Z.md", "x")
	await(t, w, "specs/archive/259_x")
	put(t, root, "specs/259_x"+doc, "again")
	await(t, w, "specs/259_x")
	quiet(w)
	put(t, root, "specs/archive/259_x/handoffs/phase-3-handoff-20260101T000000Z.md", "x")
	await(t, w, "specs/archive/259_x")
	put(t, root, "specs/259_x"+doc, "and again")
	await(t, w, "specs/259_x")
}

func TestRenamedGroup(t *testing.T) {
	root := t.TempDir()
	put(t, root, "specs/archive/1_y"+doc, "x")
	w, _ := start(t, Options{Root: root, Quiet: DefaultQuiet})
	quiet(w)
	rename(t, root, "specs/archive", "specs/vault")
	await(t, w, "specs/vault/1_y")
	quiet(w)
	put(t, root, "specs/vault/1_y/.return-meta.json", "{}")
	await(t, w, "specs/vault/1_y")
}

func TestSpecsComesAndGoes(t *testing.T) {
	w, root := start(t, Options{Quiet: DefaultQuiet})
	for i := range 3 {
		put(t, root, "specs/1_a"+doc, fmt.Sprint(i))
		await(t, w, "specs/1_a")
		quiet(w)
		if err := os.RemoveAll(filepath.Join(root, "specs")); err != nil {
			t.Fatal(err)
		}
	}
	put(t, root, "elsewhere/2_b"+doc, "x")
	rename(t, root, "elsewhere", "specs")
	await(t, w, "specs/2_b")
}

func TestWhatMatters(t *testing.T) {
	root := t.TempDir()
	put(t, root, "specs/1_a"+doc, "x")
	w, _ := start(t, Options{Root: root})
	namedSoFar(t, w, root)
	for _, path := range []string{"specs/1_a/notes.md", "specs/1_a/handoffs/.x.md.swp", "specs/1_a/.handoff-tmp-1", "specs/1_a/plans/.#p.md",
		"specs/1_a/reports/1.md", "other/1_a/x.md", "specs/TODO.md", "specs/.hidden/3_x/handoffs/a.md"} {
		put(t, root, path, "x")
		if got := namedSoFar(t, w, root); len(got) > 0 && path != "specs/1_a/plans/.#p.md" { // the new folder may be named
			t.Errorf("%s: named %v", path, got)
		}
	}
	for _, path := range []string{"specs/1_a/.return-meta.json", "specs/1_a/progress/phase-1-progress.json", "specs/1_a/plans/01_x.md"} {
		put(t, root, path, "x")
		await(t, w, "specs/1_a")
		quiet(w)
	}
}

func TestPolling(t *testing.T) {
	root := t.TempDir()
	put(t, root, "specs/1_a"+doc, "x")
	w, _ := start(t, Options{Root: root, Poll: true, PollEvery: 20 * time.Millisecond})
	quiet(w)
	put(t, root, "specs/1_a"+doc, "longer")
	await(t, w, "specs/1_a")
	put(t, root, "specs/archive/2_b/.return-meta.json", "{}")
	await(t, w, "specs/archive/2_b")
	if err := os.Remove(filepath.Join(root, "specs/1_a"+doc)); err != nil {
		t.Fatal(err)
	}
	await(t, w, "specs/1_a")
	w.Rescan()
	await(t, w, "specs/1_a", "specs/archive/2_b")
}

func TestPeriodicRescan(t *testing.T) {
	root := t.TempDir()
	put(t, root, "specs/1_a"+doc, "x")
	w, _ := start(t, Options{Root: root, Interval: 50 * time.Millisecond})
	for range 3 {
		await(t, w, "specs/1_a")
	}
}

// The system refuses a watch: at the start, or later.
func TestLimit(t *testing.T) {
	// 7: only the last folder of the last task cannot be watched.
	for _, allowed := range []int{1, 4, 7} {
		root := t.TempDir()
		said := make(chan string, 1)
		w := &Watcher{opt: Options{Root: root, PollEvery: 20 * time.Millisecond, Say: func(s string) { said <- s }}.withDefaults()}
		f := newFolders(Options{Root: root}.withDefaults())
		var left atomic.Int32
		left.Store(int32(allowed))
		f.add = func(w *fsnotify.Watcher, path string) error {
			if left.Add(-1) < 0 {
				return &fs.PathError{Op: "inotify_add_watch", Path: path, Err: syscall.ENOSPC}
			}
			return w.Add(path)
		}
		w.begin(f)
		t.Cleanup(func() {
			w.Close()
			for range w.Dirty {
			}
		})
		takeFirst(t, w)
		for i := range 3 {
			put(t, root, fmt.Sprintf("specs/%d_a%s", i, doc), "x")
		}
		await(t, w, "specs/0_a", "specs/1_a", "specs/2_a")
		if text := waittest.For(t, "a message", said); !strings.Contains(text, "polling every 20ms instead") || !strings.Contains(text, "sysctl fs.inotify.max_user_watches=") {
			t.Errorf("said %q", text)
		}
		waittest.Until(t, "polling", w.Polling)
		put(t, root, "specs/1_a/.return-meta.json", "{}")
		await(t, w, "specs/1_a")
	}
}

// TestEndNamesTheRest: a watch that ends names the tasks it has notes of, and
// nothing where it can no longer read them.
func TestEndNamesTheRest(t *testing.T) {
	for _, refused := range []error{nil, syscall.ENOSPC} {
		root := t.TempDir()
		put(t, root, "specs/1_a"+doc, "x")
		opt := Options{Root: root}.withDefaults()
		f := newFolders(opt)
		var err error
		if f.fs, err = fsnotify.NewWatcher(); err != nil {
			t.Fatal(err)
		}
		f.tasks = map[string]bool{}
		f.add = func(*fsnotify.Watcher, string) error { return refused }
		f.notes.made = []string{"specs/1_a"}
		ended, end := context.WithCancel(t.Context())
		end()
		found := make(chan Change, 1)
		(&Watcher{opt: opt, folders: f, backlog: f.backlog, marks: f.marks}).events(ended, found)
		close(found)
		var got []Change
		for c := range found {
			got = append(got, c)
		}
		if named := len(got) == 1 && slices.Equal(got[0].Tasks, []string{"specs/1_a"}); named != (refused == nil) || !named && len(got) > 0 {
			t.Errorf("refused with %v: %v", refused, got)
		}
	}
}

// Any other refusal ends the watch, with the tasks found so far.
func TestStartFails(t *testing.T) {
	root := t.TempDir()
	put(t, root, "specs/1_a"+doc, "x")
	w := &Watcher{opt: Options{Root: root}.withDefaults()}
	f := newFolders(Options{Root: root}.withDefaults())
	f.add = func(w *fsnotify.Watcher, path string) error {
		if strings.HasSuffix(path, "1_a") {
			return &fs.PathError{Op: "inotify_add_watch", Path: path, Err: syscall.EIO}
		}
		return w.Add(path)
	}
	w.begin(f)
	for tasks := range w.First {
		t.Errorf("handed on %v", tasks)
	}
	if err := w.Err(); !errors.Is(err, syscall.EIO) {
		t.Errorf("ended with %v", err)
	}
	for tasks := range w.Dirty {
		t.Errorf("named %v", tasks)
	}
	if err := f.fs.Add(root); !errors.Is(err, fsnotify.ErrClosed) {
		t.Errorf("the watcher is still open: %v", err)
	}
}

func TestLimitText(t *testing.T) {
	if err := limited(errors.New("other")); errors.As(err, new(*limitError)) {
		t.Error("any error is a limit")
	}
	if got := raised(8192, 10204); got != 65536 {
		t.Errorf("raised to %d", got)
	}
	if got := raised(65536, 40000); got != 131072 {
		t.Errorf("raised to %d", got)
	}
}

// What keeps changing is up to date within 250 ms, the work included.
func TestDefaultCap(t *testing.T) {
	for quiet, want := range map[time.Duration]time.Duration{0: 225 * ms, DefaultQuiet: 225 * ms, time.Second: time.Second} {
		if got := (Options{Quiet: quiet}).withDefaults().Cap; got != want {
			t.Errorf("quiet %v: cap %v, want %v", quiet, got, want)
		}
	}
}

// A file can get its name by a hard link, as files do that must not replace
// another one: no close event follows.
func TestLinkedFile(t *testing.T) {
	root := t.TempDir()
	put(t, root, "specs/1_a"+doc, "x")
	w, _ := start(t, Options{Root: root})
	quiet(w)
	temp := filepath.Join(root, "specs/1_a/handoffs/.tmp")
	put(t, root, "specs/1_a/handoffs/.tmp", "x")
	if err := os.Link(temp, filepath.Join(root, "specs/1_a/handoffs/phase-2-handoff-20260101T000000Z.md")); err != nil {
		needs.Missing(t, "hard links", err.Error())
	}
	if err := os.Remove(temp); err != nil {
		t.Fatal(err)
	}
	await(t, w, "specs/1_a")
}

// A link instead of a task, or of a folder of one, is seen when it appears.
func TestLinkAppears(t *testing.T) {
	for _, poll := range []bool{false, true} {
		outside, root := t.TempDir(), t.TempDir()
		put(t, root, "specs/1_a/.return-meta.json", "{}")
		linked := make(chan string, 100)
		w, _ := start(t, Options{Root: root, Poll: poll, PollEvery: 20 * time.Millisecond, Linked: func(path string) { linked <- path }})
		quiet(w)
		needs.Symlink(t, outside, filepath.Join(root, "specs/2_b"))
		if path := waittest.For(t, fmt.Sprintf("the linked task (poll %v)", poll), linked); path != "specs/2_b" {
			t.Errorf("poll %v: told of %s", poll, path)
		}
		quiet(w)
		needs.Symlink(t, outside, filepath.Join(root, "specs/1_a/handoffs"))
		await(t, w, "specs/1_a")
	}
}

// Links to folders are not followed, except to the workspace as a whole.
func TestLinkedFolders(t *testing.T) {
	outside, root := t.TempDir(), filepath.Join(t.TempDir(), "root")
	real := t.TempDir()
	needs.Symlink(t, real, root)
	put(t, real, "specs/1_a/.return-meta.json", "{}")
	put(t, outside, "handoffs/x", "x")
	if err := errors.Join(os.Symlink(filepath.Join(outside, "handoffs"), filepath.Join(real, "specs/1_a/handoffs")),
		os.Symlink(outside, filepath.Join(real, "specs/2_b"))); err != nil {
		t.Fatal(err)
	}
	w, first := open(t, Options{Root: root})
	if got := strings.Join(first, " "); got != "specs/1_a" {
		t.Errorf("found %s", got)
	}
	namedSoFar(t, w, root)
	put(t, outside, "handoffs/phase-1-handoff-20260101T000000Z.md", "x")
	if got := namedSoFar(t, w, root); len(got) > 0 {
		t.Errorf("named %v", got)
	}
	put(t, root, "specs/1_a/.return-meta.json", "{ }")
	await(t, w, "specs/1_a")
}

// TestRootComesAndGoes removes the whole workspace and creates it again.
func TestRootComesAndGoes(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	put(t, root, "specs/1_a"+doc, "x")
	w, _ := start(t, Options{Root: root})
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	quiet(w)
	put(t, root, "specs/2_b"+doc, "x")
	await(t, w, "specs/2_b")
}

// TestRescanOnce expects one scan of a healthy workspace per request: scans of
// large trees are expensive.
func TestRescanOnce(t *testing.T) {
	root := t.TempDir()
	put(t, root, "specs/1_a"+doc, "x")
	w, _ := start(t, Options{Root: root})
	quiet(w)
	w.Rescan()
	await(t, w, "specs/1_a")
	select {
	case tasks := <-w.Dirty:
		t.Errorf("another scan named %v", tasks)
	case <-time.After(1500 * time.Millisecond): // a retry comes after a second
	}
}
