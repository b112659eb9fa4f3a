package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/lockfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/internal/testing/waittest"
	"handoff/parse"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/reconcile"
	tasksync "handoff/workspace/sync"
)

// watching is a watch that runs in the test's process.
type watching struct {
	t    *testing.T
	w    *workspace.Workspace
	stop func() Totals

	written int
}

func newWatching(t *testing.T, change func(*Request)) *watching {
	t.Helper()
	return watchOf(t, workspace.New(t.TempDir(), config.Default(), workspace.Options{}), change)
}

func watchOf(t *testing.T, w *workspace.Workspace, change func(*Request)) *watching {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	started, done := make(chan struct{}), make(chan Totals, 1)
	req := Request{
		Debounce: 20 * time.Millisecond, Say: func(s string) { t.Log(s) },
		Started:  func(int, int) { close(started) },
		Stopping: func() {},
		Did: func(_ time.Time, s tasksync.Result) {
			if s.Err != nil {
				t.Errorf("%s: %v", s.Plan.Dir, s.Err)
			}
		},
	}
	if change != nil {
		change(&req)
	}
	go func() {
		totals, err := Watch(ctx, w, req)
		if err != nil {
			t.Error(err)
		}
		done <- totals
	}()
	<-started
	stop := sync.OnceValue(func() Totals { cancel(); return <-done })
	t.Cleanup(func() { stop() })
	return &watching{t: t, w: w, stop: stop}
}

// write writes a complete handoff at once, with the folders it needs, and
// returns its path. Each call has another second.
func (x *watching) write(task string, phase int) string {
	x.t.Helper()
	at := time.Date(2026, 1, 1, 0, 0, x.written, 0, time.UTC)
	x.written++
	path := fmt.Sprintf("%s/handoffs/phase-%d-handoff-%s.md", task, phase, at.Format(handoff.Stamp))
	treetest.WriteDocument(x.t, x.w.Root, path)
	return path
}

// linked waits until the documents are linked, each in the metadata of the
// task whose folder it is in.
func (x *watching) linked(paths ...string) {
	x.t.Helper()
	missing := paths
	if !waittest.Within(waittest.Limit, func() bool { missing = unlinked(x.w.Root, missing); return len(missing) == 0 }) {
		x.t.Fatalf("%d of %d are not linked: %v", len(missing), len(paths), missing[:min(len(missing), 5)])
	}
}

func unlinked(root string, paths []string) (missing []string) {
	for _, path := range paths {
		if !treetest.Linked(root, path) {
			missing = append(missing, path)
		}
	}
	return missing
}

func TestWatchNewTasks(t *testing.T) {
	x := newWatching(t, nil)
	var paths []string
	for i := range 300 {
		paths = append(paths, x.write(fmt.Sprintf("specs/%d_x", i+1), 1))
	}
	x.linked(paths...)
	if totals := x.stop(); totals != (Totals{Links: 300}) {
		t.Errorf("%+v", totals)
	}
}

func TestWatchArchivedTask(t *testing.T) {
	x := newWatching(t, nil)
	x.linked(x.write("specs/259_x", 1))
	if err := os.MkdirAll(filepath.Join(x.w.Root, "specs/archive"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(x.w.Root, "specs/259_x"), filepath.Join(x.w.Root, "specs/archive/259_x")); err != nil {
		t.Fatal(err)
	}
	x.linked("specs/archive/259_x/handoffs/phase-1-handoff-20260101T000000Z.md")
	x.linked(x.write("specs/archive/259_x", 2))
	x.linked(x.write("specs/259_x", 1))
	x.linked(x.write("specs/archive/259_x", 3))
	x.linked(x.write("specs/259_x", 2))
}

func TestWatchSpecsRecreated(t *testing.T) {
	x := newWatching(t, nil)
	for range 3 {
		x.linked(x.write("specs/1_a", 1), x.write("specs/2_b", 1))
		err := os.RemoveAll(x.w.Specs())
		for range 100 { // slower than the watch, it meets metadata that is made again
			if err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
			err = os.RemoveAll(x.w.Specs())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	x.linked(x.write("specs/1_a", 1))
}

// TestWatchDeletedMetadata deletes metadata as a lead does that has read it: it
// stays away until there is another handoff, or the task is made again.
func TestWatchDeletedMetadata(t *testing.T) {
	said := make(chan string, 10)
	x := newWatching(t, func(r *Request) { r.Say = func(text string) { said <- text } })
	first := x.write("specs/1_a", 1)
	file := filepath.Join(x.w.Root, "specs/1_a", handoff.MetadataFile)
	x.linked(first)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if text := waittest.For(t, "word of the deletion", said); !strings.Contains(text, "specs/1_a/.return-meta.json was deleted") {
		t.Fatal(text)
	}
	other := x.write("specs/2_b", 1)
	x.linked(other) // it has looked since
	if _, err := os.Lstat(file); err == nil {
		t.Error("metadata that was deleted was made again")
	}
	second := x.write("specs/1_a", 2)
	x.linked(first, second)
	if err := os.RemoveAll(filepath.Dir(file)); err != nil {
		t.Fatal(err)
	}
	x.linked(x.write("specs/1_a", 1))
}

// TestWatchBeingWritten writes a document in pieces, each after the watch has
// seen the previous one: no piece is linked.
func TestWatchBeingWritten(t *testing.T) {
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	path := "specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md"
	full := filepath.Join(w.Root, filepath.FromSlash(path))
	var written atomic.Bool
	var looks atomic.Int64
	// Until all is written the time is that of the last write, however long the
	// machine stops this test.
	now := func() time.Time {
		looks.Add(1)
		if st, err := os.Stat(full); err == nil && !written.Load() {
			return st.ModTime()
		}
		return time.Now()
	}
	w.Options.Now = now
	x := watchOf(t, w, func(r *Request) { r.Debounce, r.Pause = 0, time.Second })
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(full)
	if err != nil {
		t.Fatal(err)
	}
	for piece := range strings.SplitAfterSeq(treetest.Document(path), "\n\n") {
		if treetest.Linked(x.w.Root, path) {
			t.Error("linked before it was written")
		}
		before := looks.Load()
		f.WriteString(piece)
		waittest.Until(t, "a look at it", func() bool { return looks.Load() > before })
	}
	written.Store(true)
	f.Close()
	x.linked(path)
	if blobs, _ := os.ReadDir(filepath.Join(x.w.Root, ".rip/artifacts/blobs")); len(blobs) != 1 {
		t.Errorf("%d bundles for one document", len(blobs))
	}

	// A document that never gets an end is linked once it has not changed for a while.
	bare := "specs/2_b/handoffs/phase-1-handoff-20260101T000000Z.md"
	treetest.WriteDocument(t, x.w.Root, bare)
	if err := os.WriteFile(filepath.Join(x.w.Root, bare), []byte("# Phase 1 Handoff - 20260101T000000Z\n\n## Immediate Next Action\nRun `x`.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	x.linked(bare)
}

// looks returns how often the watch has checked a task.
func (x *watching) looks() (n int) {
	x.t.Helper()
	waittest.Until(x.t, "the status", func() bool {
		s, err := Ask(x.t.Context(), x.w)
		n = s.Looks
		return err == nil
	})
	return n
}

// TestWatchRests checks that the watch does not react to its own writes forever.
func TestWatchRests(t *testing.T) {
	x := newWatching(t, nil)
	x.linked(x.write("specs/1_a", 1))
	rests := waittest.Within(waittest.Limit, func() bool {
		before := x.looks()
		time.Sleep(500 * time.Millisecond) // many times what an echo takes
		return x.looks() == before
	})
	// A document is made of about ten events, of which a slow machine may see each alone.
	if n := x.looks(); !rests || n > 12 {
		t.Errorf("rests %v; looked %d times for one document", rests, n)
	}
}

// TestWatchTriesAgain: a task that could not be written is retried, although no
// event announces that it now can be. The failure is reported once.
func TestWatchTriesAgain(t *testing.T) {
	said := make(chan error, 100)
	x := newWatching(t, func(r *Request) {
		r.Retry = 50 * time.Millisecond
		r.Did = func(_ time.Time, s tasksync.Result) { said <- s.Err }
	})
	blobs := filepath.Join(x.w.Root, ".rip/artifacts/blobs")
	if err := os.MkdirAll(filepath.Dir(blobs), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(blobs, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	path := x.write("specs/1_a", 1)
	if err := <-said; err == nil || treetest.Linked(x.w.Root, path) {
		t.Fatalf("%v", err)
	}
	waittest.Until(t, "some more attempts", func() bool { return x.looks() > 3 })
	if err := os.Remove(blobs); err != nil {
		t.Fatal(err)
	}
	x.linked(path)
	if err := <-said; err != nil {
		t.Errorf("said again: %v", err)
	}
}

// TestWatchDrains ends the watch while a known change still waits for its quiet
// time: the watch finishes it. It is unknown how long the system takes to report
// the write, so the test allows more and more time until the watch has seen it.
func TestWatchDrains(t *testing.T) {
	for pause := time.Millisecond; ; pause *= 2 {
		x := newWatching(t, func(r *Request) { r.Debounce = time.Hour })
		path := x.write("specs/1_a", 1)
		time.Sleep(pause)
		if treetest.Linked(x.w.Root, path) {
			t.Fatal("linked an hour too early")
		}
		totals := x.stop()
		if totals.Links == 1 && treetest.Linked(x.w.Root, path) {
			return
		}
		if totals.Links > 0 || pause > waittest.Limit/8 {
			t.Fatalf("ended after %v with %+v", pause, totals)
		}
	}
}

// TestQueueUntilTold: a caller that sees an empty queue has been told about all results.
func TestQueueUntilTold(t *testing.T) {
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	treetest.WriteDocument(t, w.Root, "specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md")
	treetest.Write(t, w.Root, "specs/1_a/.return-meta.json", `{"status": "partial"}`)
	queue := func() (n int) {
		waittest.Within(waittest.Limit, func() bool {
			s, err := Ask(t.Context(), w)
			n = s.Queue
			return err == nil
		})
		return n
	}
	x := watchOf(t, w, func(r *Request) {
		started := r.Started
		r.Started = func(tasks, documents int) {
			if queue() == 0 {
				t.Error("the queue is empty before the first look is told")
			}
			started(tasks, documents)
		}
		r.Did = func(_ time.Time, s tasksync.Result) {
			if queue() == 0 {
				t.Errorf("the queue is empty before %s is told", s.Plan.Dir)
			}
		}
	})
	x.linked(x.write("specs/2_b", 1))
	waittest.Until(t, "an empty queue", func() bool { return queue() == 0 })
}

// TestWrittenSinceNow: a document that is written after the watch has asked for
// the time, and before it looks at the document, is still being written.
func TestWrittenSinceNow(t *testing.T) {
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	const path = "specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md"
	const half = "# Phase 1 Handoff - 20260101T000000Z\n\n## Immediate Next Action\nRun `x`.\n"
	treetest.Write(t, w.Root, path, half)
	written := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(w.Root, path), written, written); err != nil {
		t.Fatal(err)
	}
	for ago, want := range map[time.Duration]bool{-time.Hour: false, -time.Millisecond: true, 0: true, time.Millisecond: true, settled: false} {
		w.Options.Now = func() time.Time { return written.Add(ago) }
		d := &daemon{Workspace: w}
		state := reconcile.State{Dir: "specs/1_a", Documents: []reconcile.Document{{Path: path, Doc: parse.Document([]byte(half))}}}
		if got := d.unfinished(state); got != want {
			t.Errorf("written %v ago: unfinished %v, want %v", ago, got, want)
		}
	}
}

// TestStartedCountsYoungDocuments: the totals at the start are those of the whole tree,
// also right after a copy, when each document without a last section might still be
// being written. A status request before that reports that the first scan is running.
func TestStartedCountsYoungDocuments(t *testing.T) {
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	for i, text := range []string{treetest.Document("specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md"), "# Phase 1 Handoff - 20260101T000000Z\n\n## Immediate Next Action\nRun `x`.\n"} {
		dir := fmt.Sprintf("specs/%d_a/", i+1)
		path := dir + "handoffs/phase-1-handoff-20260101T000000Z.md"
		treetest.Write(t, w.Root, path, text)
		treetest.Write(t, w.Root, dir+handoff.MetadataFile, "{") // a problem
		young := time.Now().Add(settled * 9 / 10)
		if err := os.Chtimes(filepath.Join(w.Root, path), young, young); err != nil {
			t.Fatal(err)
		}
	}
	var tasks, documents, problems atomic.Int64
	x := watchOf(t, w, func(r *Request) {
		r.Begun = func() {
			if s, err := Ask(t.Context(), w); err != nil || !s.Scanning || s.Queue == 0 {
				t.Errorf("before the first scan: %+v, %v", s, err)
			}
		}
		r.Did = func(_ time.Time, s tasksync.Result) { problems.Add(int64(len(s.Plan.Problems))) }
		started := r.Started
		r.Started = func(t, d int) { tasks.Store(int64(t)); documents.Store(int64(d)); problems.Add(1000); started(t, d) }
	})
	if tasks.Load() != 2 || documents.Load() != 2 || problems.Load() != 1002 {
		t.Errorf("%d tasks, %d documents, %d problems at the start (1000 is the start)", tasks.Load(), documents.Load(), problems.Load())
	}
	waittest.Until(t, "the end of the first scan", func() bool {
		s, err := Ask(t.Context(), w)
		return err == nil && !s.Scanning && s.Queue == 0 && s.Tasks == 2 && s.Documents == 2 && len(s.Problems) == 2
	})
	x.stop()
}

// TestStoppedWhileSettling: a watch that is stopped while it waits for young documents
// keeps their tasks for its end.
func TestStoppedWhileSettling(t *testing.T) {
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	d := &daemon{Workspace: w, young: []string{"specs/1_a"}}
	d.later.put("specs/1_a", w.Now().Add(time.Hour))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.settle(ctx); err != nil || d.later.size() != 1 {
		t.Errorf("%v, %d tasks for the end", err, d.later.size())
	}
}

func TestSecondWatch(t *testing.T) {
	x := newWatching(t, nil)
	_, err := Watch(t.Context(), x.w, Request{})
	var running *RunningError
	if !errors.As(err, &running) || running.PID != os.Getpid() {
		t.Errorf("%v", err)
	}
}

// TestWatchCleaned removes the files by which others find a watch, as `git clean
// -xdf` does: the watch restores them, and no second watch starts.
func TestWatchCleaned(t *testing.T) {
	needs.Unix(t, "files that are open cannot be removed there")
	x := newWatching(t, func(r *Request) { r.Check = 50 * time.Millisecond })
	if err := os.RemoveAll(filepath.Join(x.w.Root, workspace.StateDir)); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the watch to answer again", func() bool {
		s, err := Ask(t.Context(), x.w)
		return err == nil && s.PID == os.Getpid()
	})
	if _, err := Watch(t.Context(), x.w, Request{}); !errors.As(err, new(*RunningError)) {
		t.Errorf("a second watch: %v", err)
	}
	x.stop()
	if _, err := Ask(t.Context(), x.w); !errors.Is(err, ErrNotWatched) || exists(holderFile(x.w).Path) {
		t.Errorf("after its end: %v", err)
	}
}

// TestGitClean: a watch whose files `git clean -xdf` takes away is still the only
// one, at each moment, is found again without waiting for its next look, and is
// not in git's way.
func TestGitClean(t *testing.T) {
	needs.Tool(t, "git")
	needs.Unix(t, "files that are open cannot be removed there")
	for _, poll := range []bool{false, true} {
		x := newWatching(t, func(r *Request) { r.Check, r.Poll = time.Hour, poll })
		git := func(args ...string) {
			t.Helper()
			c := exec.Command("git", args...)
			c.Dir = x.w.Root
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
		}
		git("init", "-q")
		for range 3 {
			before, err := os.Lstat(lockPath(x.w))
			if err != nil {
				t.Fatal(err)
			}
			git("clean", "-xdfq")
			other := &daemon{Workspace: x.w}
			if leave, err := other.hold(); !errors.As(err, new(*RunningError)) {
				leave()
				t.Fatalf("poll %v: a second watch: %v", poll, err)
			}
			if !waittest.Within(waittest.Limit, func() bool {
				now, err := os.Lstat(lockPath(x.w))
				return err == nil && !os.SameFile(before, now) && exists(holderFile(x.w).Path)
			}) {
				t.Fatalf("poll %v: nobody noticed", poll)
			}
			if s, err := Ask(t.Context(), x.w); err != nil || s.PID != os.Getpid() {
				t.Errorf("poll %v: %+v, %v", poll, s, err)
			}
		}
		x.stop()
		if _, err := Ask(t.Context(), x.w); !errors.Is(err, ErrNotWatched) {
			t.Errorf("poll %v: after its end: %v", poll, err)
		}
	}
}

// TestWatchLinkAppears: a link out of the workspace instead of a task is
// reported when it appears, and each link once.
func TestWatchLinkAppears(t *testing.T) {
	said := make(chan string, 100)
	outside := t.TempDir()
	x := newWatching(t, func(r *Request) { r.Say = func(text string) { said <- text } })
	x.linked(x.write("specs/1_a", 1))
	link := filepath.Join(x.w.Root, "specs/2_b")
	for range 2 {
		needs.Symlink(t, outside, link)
		if text := waittest.For(t, "the link to be reported", said); !strings.HasPrefix(text, "specs/2_b: ") || !strings.Contains(text, outside) {
			t.Errorf("said %q", text)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
	needs.Symlink(t, outside, link)
	<-said
	needs.Symlink(t, filepath.Join(x.w.Root, "specs/1_a"), filepath.Join(x.w.Root, "specs/3_c")) // stays inside
	x.linked(x.write("specs/4_d", 1))
	select {
	case text := <-said:
		t.Errorf("said once more: %q", text)
	default:
	}
}

// TestWatchReload: a configuration that is read again may name the rules that the
// workspace was opened with, and no others.
func TestWatchReload(t *testing.T) {
	root := t.TempDir()
	w, err := workspace.Open(root, workspace.Options{RuleNames: []string{"long-document"}})
	if err != nil {
		t.Fatal(err)
	}
	reload, said := make(chan struct{}), make(chan string, 100)
	watchOf(t, w, func(r *Request) { r.Reload, r.Say = reload, func(text string) { said <- text } })
	for _, rule := range []string{"long-document", "unheard-of"} {
		if err := os.WriteFile(filepath.Join(root, config.File), []byte("rules:\n  "+rule+": off\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		reload <- struct{}{}
		reload <- struct{}{} // taken when the first one is dealt with
	}
	if text := waittest.For(t, "what the watch says", said); !strings.Contains(text, "unheard-of") {
		t.Errorf("said %q", text)
	}
}

// TestWatchLinkedSpecs: a specs folder that is a link is not watched, even where it
// stays in the workspace, and the watch reports that.
func TestWatchLinkedSpecs(t *testing.T) {
	for _, poll := range []bool{false, true} {
		w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
		treetest.WriteDocument(t, w.Root, "real/1_a/handoffs/phase-1-handoff-20260101T000000Z.md")
		needs.Symlink(t, "real", w.Specs())
		said := make(chan string, 100)
		watchOf(t, w, func(r *Request) { r.Poll, r.Say = poll, func(text string) { said <- text } })
		text := waittest.For(t, "what the watch says", said)
		if want := `specs: is a symbolic link to "real", which is not followed: left alone`; text != want {
			t.Errorf("poll %v: said %q, want %q", poll, text, want)
		}
	}
}

// TestWatchStands takes away one thing at a time.
func TestWatchStands(t *testing.T) {
	needs.Unix(t, "files that are open cannot be removed there")
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	d := &daemon{Workspace: w}
	leave, err := d.hold()
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	for _, gone := range []string{"watch.json", "watch.sock", "watch.lock"} {
		if err := os.Remove(filepath.Join(w.Root, workspace.StateDir, gone)); err != nil {
			t.Fatal(err)
		}
		if err := d.restore(); err != nil {
			t.Fatal(err)
		}
		if s, err := Ask(t.Context(), w); err != nil || s.Since != d.self.Since {
			t.Errorf("%s is gone: %+v, %v", gone, s, err)
		}
		other := &daemon{Workspace: w}
		if _, err := other.hold(); !errors.As(err, new(*RunningError)) {
			t.Errorf("%s is gone, and a second watch begins: %v", gone, err)
		}
	}
}

// TestWatchReplaced: where another watch began before the lock was missed, the
// first one ends and leaves the other alone.
func TestWatchReplaced(t *testing.T) {
	needs.Unix(t, "files that are open cannot be removed there")
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	later := func() time.Time { return time.Now().Add(time.Hour) }
	// As where folders cannot be locked, on NFS.
	first, second := &daemon{Workspace: w}, &daemon{Workspace: workspace.New(w.Root, w.Config, workspace.Options{Now: later})}
	leaveFirst, err := first.hold()
	if err != nil {
		t.Fatal(err)
	}
	first.held.unlock[0]()
	if err := errors.Join(os.RemoveAll(filepath.Join(w.Root, workspace.StateDir)), os.Mkdir(filepath.Join(w.Root, workspace.StateDir), 0o755)); err != nil {
		t.Fatal(err)
	}
	unlock, ok, err := lockfile.Try(nofollow.Named, lockPath(w)) // as a status request does
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if err := first.restore(); err != nil || first.holds() {
		t.Errorf("a status request was mistaken for a watch: %v", err)
	}
	unlock()
	leaveSecond, err := second.hold()
	if err != nil {
		t.Fatal(err)
	}
	defer leaveSecond()
	if err := first.restore(); !errors.As(err, new(*RunningError)) {
		t.Errorf("two watches: %v", err)
	}
	leaveFirst()
	if s, err := Ask(t.Context(), w); err != nil || s.Socket == "" {
		t.Errorf("the other one: %+v, %v", s, err)
	}
}

// TestWatchLongPath: the system takes no socket of such a long path.
func TestWatchLongPath(t *testing.T) {
	w := workspace.New(filepath.Join(t.TempDir(), strings.Repeat("deep/", 30)), config.Default(), workspace.Options{})
	if err := os.MkdirAll(w.Root, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := Watch(ctx, w, Request{Stopping: func() {}, Say: func(s string) { t.Error(s) }, Started: func(int, int) {
			s, err := Ask(ctx, w)
			if err != nil || s.PID != os.Getpid() || strings.HasPrefix(s.Socket, w.Root) {
				t.Errorf("%+v, %v", s, err)
			}
			cancel()
		}})
		done <- err
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := Ask(t.Context(), w); !errors.Is(err, ErrNotWatched) {
		t.Errorf("after its end: %v", err)
	}
}

// burstFiles is how many files the burst test writes: HANDOFF_TEST_BURST, or
// enough to fill the system's queue.
func burstFiles(t *testing.T) int {
	n := 20000
	if s := os.Getenv("HANDOFF_TEST_BURST"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// processVar holds the folder in which the test binary runs as a watch, and
// processMode what else it does.
const (
	processVar  = "WORKSPACE_TEST_ROOT"
	processMode = "WORKSPACE_TEST_MODE"
)

func TestMain(m *testing.M) {
	if root := os.Getenv(processVar); root != "" {
		os.Exit(beProcess(root, os.Getenv(processMode)))
	}
	os.Exit(m.Run())
}

func beProcess(root, mode string) int {
	w := workspace.New(root, config.Default(), workspace.Options{})
	if mode == "sync" {
		for {
			if err := tasksync.Run(context.Background(), w, tasksync.Request{}, func(s tasksync.Result) error { return s.Err }); err != nil {
				fmt.Println(err)
				return 1
			}
		}
	}
	_, err := Watch(context.Background(), w, Request{
		Debounce: 20 * time.Millisecond, Stopping: func() {},
		Say: func(s string) { fmt.Println(s) }, Started: func(int, int) { fmt.Println("started") },
		Did: func(time.Time, tasksync.Result) {},
	})
	fmt.Println(err)
	return 1
}

// spawn starts the test binary in a mode and waits until a watch has started.
// Its later output is in the returned text once it has ended.
func spawn(t *testing.T, root, mode string) *exec.Cmd {
	t.Helper()
	needs.Unix(t, "processes are stopped and killed by signals")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), processVar+"="+root, processMode+"="+mode)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	if mode == "watch" {
		line := make([]byte, 64)
		n, _ := out.Read(line)
		if string(line[:n]) != "started\n" {
			t.Fatalf("it said %q", line[:n])
		}
	}
	return cmd
}

// TestWatchStopsInFirstLook stops a watch during its first scan: it ends soon,
// the rest is not changed, and it still reports what it did.
func TestWatchStopsInFirstLook(t *testing.T) {
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	const tasks = 400
	for i := range tasks {
		task := fmt.Sprintf("specs/%d_a", i+1)
		treetest.WriteDocument(t, w.Root, task+"/handoffs/phase-1-handoff-20260101T000000Z.md")
		if err := os.WriteFile(filepath.Join(w.Root, task, handoff.MetadataFile), []byte(`{"status": "in_progress"}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var begun, said, stopping bool
	var did int
	totals, err := Watch(ctx, w, Request{
		Begun:   func() { begun = did == 0 },
		Say:     func(string) { said = true },
		Started: func(int, int) { t.Error("it went to the end of the first look"); cancel() },
		Did: func(_ time.Time, s tasksync.Result) {
			if did++; s.Err != nil {
				t.Errorf("%s: %v", s.Plan.Dir, s.Err)
			}
			cancel()
		},
		Stopping: func() { stopping = true },
	})
	if err != nil || !begun || !said || !stopping || did == 0 || did >= tasks || totals.Links < did || totals.Problems > 0 {
		t.Errorf("%v: begun %v, said %v, stopping %v, did %d, %+v", err, begun, said, stopping, did, totals)
	}
	linked := 0
	for i := range tasks {
		if treetest.Linked(w.Root, fmt.Sprintf("specs/%d_a/handoffs/phase-1-handoff-20260101T000000Z.md", i+1)) {
			linked++
		}
	}
	if linked < did || linked == tasks {
		t.Errorf("%d of %d are linked", linked, tasks)
	}
	if _, err := os.Stat(filepath.Join(w.Root, workspace.StateDir, "watch.sock")); err == nil {
		t.Error("the socket is still there")
	}
}

// TestStatusOfStartingWatch asks for the status before the watch has begun, as
// `handoff watch & handoff watch --status` does.
func TestStatusOfStartingWatch(t *testing.T) {
	const times = 20
	late := 0
	for range times {
		w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
		treetest.WriteDocument(t, w.Root, "specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md")
		asked := make(chan error, 1)
		asking := make(chan struct{})
		go func() {
			close(asking)
			_, err := Ask(t.Context(), (workspace.New(w.Root, config.Default(), workspace.Options{})))
			asked <- err
		}()
		<-asking
		x := watchOf(t, w, nil)
		switch err := <-asked; {
		case errors.Is(err, ErrNotWatched): // a busy machine can keep the watch from its lock for longer than anyone asks
			late++
		case err != nil:
			t.Fatal(err)
		}
		x.stop()
	}
	if late > times/2 {
		t.Errorf("%d of %d who asked were told that no watch runs", late, times)
	}
}

// TestQueueOfStartingWatch: a watch that has not checked anything yet does not
// report an empty queue, which callers would treat as "up to date".
func TestQueueOfStartingWatch(t *testing.T) {
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	treetest.WriteDocument(t, w.Root, "specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md")
	watchOf(t, w, func(r *Request) {
		r.Begun = func() {
			if s, err := Ask(t.Context(), w); err != nil || s.Queue == 0 {
				t.Errorf("%+v, %v", s, err)
			}
		}
	})
}
