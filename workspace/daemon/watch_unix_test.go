//go:build unix

package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/testing/treetest"
	"handoff/internal/testing/waittest"
	"handoff/workspace"
	"handoff/workspace/config"
	tasksync "handoff/workspace/sync"
)

// TestWatchStopped stops the process while many more files are written than
// the system keeps events of.
func TestWatchStopped(t *testing.T) {
	x := &watching{t: t, w: workspace.New(t.TempDir(), config.Default(), workspace.Options{})}
	cmd := spawn(t, x.w.Root, "watch")
	x.linked(x.write("specs/1_a", 1))
	cmd.Process.Signal(syscall.SIGSTOP)
	paths := []string{x.write("specs/2_b", 1)}
	dir := filepath.Join(x.w.Root, "specs/1_a/handoffs")
	for i := range burstFiles(t) { // other files, which fill the queue of events
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.txt", i%5000)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		paths = append(paths, x.write(fmt.Sprintf("specs/%d_c", i+10), 1), x.write("specs/1_a", i+2))
	}
	cmd.Process.Signal(syscall.SIGCONT)
	x.linked(paths...)
	x.linked(x.write("specs/10_c", 2))
}

// TestQueueAfterStop asks for the status at once when a watch continues that was stopped
// while many files were written. Its queue is empty only when all of them are linked, also
// if the system had to drop events.
func TestQueueAfterStop(t *testing.T) {
	for name, others := range map[string]int{"events": 0, "lost events": burstFiles(t)} {
		t.Run(name, func(t *testing.T) {
			x := &watching{t: t, w: workspace.New(t.TempDir(), config.Default(), workspace.Options{})}
			cmd := spawn(t, x.w.Root, "watch")
			var paths []string
			for i := range 20 {
				paths = append(paths, x.write(fmt.Sprintf("specs/%d_a", i+1), 1))
			}
			x.linked(paths...)
			cmd.Process.Signal(syscall.SIGSTOP)
			dir := filepath.Join(x.w.Root, "specs/1_a/handoffs")
			for i := range 6000 + others {
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.txt", i%5000)), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for i := range 20 {
				paths = append(paths, x.write(fmt.Sprintf("specs/%d_a", i+1), 2), x.write(fmt.Sprintf("specs/%d_b", i+100), 1))
			}
			cmd.Process.Signal(syscall.SIGCONT)
			x.emptyQueue()
			if missing := unlinked(x.w.Root, paths); len(missing) > 0 {
				t.Errorf("the queue is empty, and %d of %d are not linked: %v", len(missing), len(paths), missing[:min(len(missing), 5)])
			}
		})
	}
}

// emptyQueue asks for the status until the queue is empty.
func (x *watching) emptyQueue() {
	x.t.Helper()
	waittest.Until(x.t, "an empty queue", func() bool {
		s, err := Ask(x.t.Context(), x.w)
		if err != nil {
			x.t.Fatal(err)
		}
		return s.Queue == 0
	})
}

// TestWatchKilled kills one watch after the other; each continues where the
// last one stopped.
func TestWatchKilled(t *testing.T) {
	x := &watching{t: t, w: workspace.New(t.TempDir(), config.Default(), workspace.Options{})}
	var paths []string
	for j := range 5 { // a watch creates none for documents that exist when it starts
		treetest.Write(t, x.w.Root, fmt.Sprintf("specs/%d_x/.return-meta.json", j+1), `{"status": "partial"}`)
	}
	for i := range 10 {
		cmd := spawn(t, x.w.Root, "watch")
		for j := range 5 {
			paths = append(paths, x.write(fmt.Sprintf("specs/%d_x", j+1), i+1))
		}
		time.Sleep(time.Duration(18+3*i) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		if _, err := Ask(t.Context(), x.w); !errors.Is(err, ErrNotWatched) {
			t.Errorf("the status of one that was killed: %v", err)
		}
	}
	spawn(t, x.w.Root, "watch")
	x.linked(paths...)
	if err := tasksync.Run(t.Context(), x.w, tasksync.Request{}, func(s tasksync.Result) error { return fmt.Errorf("%v: %w", s.Plan.Changes, s.Err) }); err != nil {
		t.Errorf("something was left to do: %v", err)
	}
	waittest.Until(t, "no temporary files", func() bool { return len(treetest.Temps(t, x.w.Root)) == 0 })
}

// TestRace lets two processes sync and one watch while an agent rewrites the
// same metadata, in place and by rename. In the end the metadata has what the
// agent wrote last, and the links.
func TestRace(t *testing.T) {
	x := &watching{t: t, w: workspace.New(t.TempDir(), config.Default(), workspace.Options{})}
	x.write("specs/1_a", 1)
	path := filepath.Join(x.w.Root, "specs/1_a", handoff.MetadataFile)
	if err := os.WriteFile(path, []byte("{\"status\": \"in_progress\", \"n\": 0}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	syncs := []*exec.Cmd{spawn(t, x.w.Root, "sync"), spawn(t, x.w.Root, "sync")}
	spawn(t, x.w.Root, "watch")
	var torn sync.Once
	var paths []string
	for i := 1; i <= 200; i++ {
		awaitCounter(t, path, i-1)
		writeCounter(t, path, i)
		if i%20 == 0 {
			paths = append(paths, x.write("specs/1_a", i/20))
		}
		time.Sleep(3 * time.Millisecond)
		if src, err := os.ReadFile(path); err == nil && !json.Valid(src) && len(src) > 0 {
			torn.Do(func() { t.Errorf("torn: %q", src) })
		}
	}
	for _, p := range syncs {
		p.Process.Kill()
		p.Wait()
	}
	x.linked(paths...)
	awaitCounter(t, path, 200)
	if err := tasksync.Run(t.Context(), x.w, tasksync.Request{}, func(s tasksync.Result) error { return s.Err }); err != nil {
		t.Error(err)
	}
	// The watch may be in the midst of a look.
	waittest.Until(t, "no temporary files", func() bool { return len(treetest.Temps(t, x.w.Root)) == 0 })
}

// awaitCounter waits until the agent reads what it wrote. For the moment in
// which two writers' files are exchanged it may read the old content.
func awaitCounter(t *testing.T, path string, want int) {
	t.Helper()
	waittest.Until(t, fmt.Sprintf("what the agent wrote, %d", want), func() bool { return readCounter(t, path) == want })
}

// readCounter reads as agents do: it tries again where a file is being
// written in place.
func readCounter(t *testing.T, path string) int {
	t.Helper()
	var v struct{ N *int }
	waittest.Until(t, "a whole file", func() bool {
		src, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return json.Unmarshal(src, &v) == nil && v.N != nil
	})
	return *v.N
}

// writeCounter keeps what else is in the file, as agents do: it edits the text
// it reads; every other time it writes in place.
func writeCounter(t *testing.T, path string, n int) {
	t.Helper()
	for {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if json.Unmarshal(src, &m) != nil {
			continue
		}
		m["n"] = n
		out, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if n%2 == 0 {
			err = os.WriteFile(path, out, 0o644)
		} else if err = os.WriteFile(path+".agent", out, 0o644); err == nil {
			err = os.Rename(path+".agent", path)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
}
