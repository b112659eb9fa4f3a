package workspace

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
)

// TestStateIgnored asks git what it sees of the files of a sync and a watch.
func TestStateIgnored(t *testing.T) {
	x := newWatching(t, nil)
	x.linked(x.write("specs/1_a", 1))
	template := filepath.Join(x.w.Root, StateDir, "templates", TemplateFile)
	if err := os.MkdirAll(filepath.Dir(template), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(template, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	needs.Tool(t, "git")
	if out, err := exec.Command("git", "-C", x.w.Root, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	out, err := exec.Command("git", "-C", x.w.Root, "status", "--porcelain", "-uall", "--", StateDir).Output()
	if err != nil || strings.TrimSpace(string(out)) != "?? .handoff/templates/"+TemplateFile {
		t.Errorf("git sees, %v:\n%s", err, out)
	}
	if entries, err := os.ReadDir(filepath.Join(x.w.Root, StateDir)); err != nil || len(entries) < 6 {
		t.Errorf("there is only %v, %v", entries, err)
	}
}

// TestStateIgnoreKept keeps a list that the user has changed.
func TestStateIgnoreKept(t *testing.T) {
	w := open(t)
	path := filepath.Join(w.Root, StateDir, ".gitignore")
	if _, err := w.CreateStateDir(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("*\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := w.CreateStateDir(); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "*\n" {
		t.Errorf("%q", got)
	}
}

// TestOwnFoldersAreSwept has sync take away what a killed process left there.
func TestOwnFoldersAreSwept(t *testing.T) {
	w := open(t)
	for _, dir := range []string{".", "threads", "sessions", "tasks"} {
		path := filepath.Join(w.Root, StateDir, dir, atomicfile.TempPrefix+"elsewhere-1-x")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		long := time.Now().Add(-24 * time.Hour)
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Sync(t.Context(), SyncRequest{}, func(Synced) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if left := temps(t, filepath.Join(w.Root, StateDir)); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// writers are those who work in the folders of a workspace.
var writers = map[string]func(t *testing.T, w *Workspace) error{
	"threads": func(t *testing.T, w *Workspace) error { return closed(w.Threads(t.Context(), false)) },
	"threads that are written": func(t *testing.T, w *Workspace) error {
		return closed(w.Threads(t.Context(), true))
	},
	"tapes":                  func(t *testing.T, w *Workspace) error { return closed(w.Tapes("", false)) },
	"tapes that are written": func(t *testing.T, w *Workspace) error { return closed(w.Tapes("", true)) },
	"sync": func(t *testing.T, w *Workspace) error {
		return w.Sync(t.Context(), SyncRequest{}, func(Synced) error { return nil })
	},
	"a dry sync": func(t *testing.T, w *Workspace) error {
		return w.Sync(t.Context(), SyncRequest{DryRun: true}, func(Synced) error { return nil })
	},
	"watch": func(t *testing.T, w *Workspace) error {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, err := w.Watch(ctx, WatchRequest{Say: func(string) {}, Did: func(time.Time, Synced) {},
			Started: func(int, int) { cancel() }, Stopping: func() {}})
		return err
	},
	"verify with threads": func(t *testing.T, w *Workspace) error {
		w.Config.Threads = true
		return w.Verify(t.Context(), VerifyRequest{}, func(*Verified) error { return nil })
	},
}

func closed(c io.Closer, err error) error {
	if err == nil {
		c.Close()
	}
	return err
}

// TestFoldersAreNoLinks: what the tool makes is kept in folders of the
// workspace, and nothing is taken away elsewhere.
func TestFoldersAreNoLinks(t *testing.T) {
	needs.Symlink(t, "x", filepath.Join(t.TempDir(), "link"))
	for _, place := range []string{
		".handoff", ".handoff/threads", ".handoff/sessions", ".handoff/tasks", ".handoff/runs", ".handoff/tape", ".handoff/tape/archived",
		".rip", ".rip/artifacts", ".rip/artifacts/blobs",
	} {
		for who, enter := range writers {
			w, out := open(t), t.TempDir()
			for _, name := range []string{"Cargo.lock", atomicfile.TempPrefix + "elsewhere-1-x", "blobs/" + atomicfile.TempPrefix + "elsewhere-1-x"} {
				treetest.Write(t, out, name, "old")
				if err := os.Chtimes(filepath.Join(out, name), noon.AddDate(-1, 0, 0), noon.AddDate(-1, 0, 0)); err != nil {
					t.Fatal(err)
				}
			}
			treetest.Link(t, out, filepath.Join(w.Root, place))
			if err := enter(t, w); err == nil || !strings.Contains(err.Error(), place) {
				t.Errorf("%s: %s went on: %v", place, who, err)
			}
			left, err := os.ReadDir(out)
			below, err2 := os.ReadDir(filepath.Join(out, "blobs"))
			if errors.Join(err, err2) != nil || len(left) != 3 || len(below) != 1 {
				t.Errorf("%s: %s left %v, %v, %v", place, who, left, below, errors.Join(err, err2))
			}
		}
	}
}

// TestFoldersInside: a link to another folder of the workspace is refused, too.
func TestFoldersInside(t *testing.T) {
	for who, enter := range writers {
		for _, place := range []string{".handoff", ".rip", ".rip/artifacts"} {
			w := open(t)
			treetest.Write(t, w.Root, "kept/here", "")
			treetest.Link(t, filepath.Join(w.Root, "kept"), filepath.Join(w.Root, place))
			if err := enter(t, w); err == nil || !strings.Contains(err.Error(), place+": is a symbolic link to ") {
				t.Errorf("%s: %s went on: %v", place, who, err)
			}
		}
	}
}

// TestThreadsIgnored asks git what it sees of threads: what another checkout
// can go on with, and nothing of the processes of this one.
func TestThreadsIgnored(t *testing.T) {
	needs.Tool(t, "git")
	w := open(t)
	threads, err := w.Threads(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer threads.Close()
	info, err := threads.Ensure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	path := StateDir + "/threads/" + info.ThreadID + ".jsonl"
	for _, name := range []string{path, path + ".idx/head", path + ".torn-12-1", path + ".lock", StateDir + "/threads.jsonl.idx/head",
		StateDir + "/sessions/r.jsonl", StateDir + "/sessions/r.jsonl.lock", StateDir + "/runs/r.json", StateDir + "/runs/r.lock"} {
		if name != path {
			treetest.Write(t, w.Root, name, "x")
		}
	}
	if out, err := exec.Command("git", "-C", w.Root, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	out, err := exec.Command("git", "-C", w.Root, "status", "--porcelain", "-uall", "--", StateDir).Output()
	want := "?? .handoff/sessions/r.jsonl\n?? .handoff/threads.jsonl\n?? " + path + "\n"
	if err != nil || string(out) != want {
		t.Errorf("git sees, %v:\n%swant\n%s", err, out, want)
	}
}
