package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/atomicfile"
	"handoff/internal/needs"
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
	if _, err := w.stateDir(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("*\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := w.stateDir(); err != nil {
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

// TestFoldersAreNoLinks: threads and runs are kept in folders of the workspace,
// and nothing is taken away elsewhere.
func TestFoldersAreNoLinks(t *testing.T) {
	for _, place := range []string{".", "threads", "sessions", "tasks", "runs"} {
		w, out := open(t), t.TempDir()
		write(t, out, "Cargo.lock", "old")
		if err := os.Chtimes(filepath.Join(out, "Cargo.lock"), noon.AddDate(-1, 0, 0), noon.AddDate(-1, 0, 0)); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(w.Root, StateDir, place)
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(out, link); err != nil {
			needs.Missing(t, "symlinks", err.Error())
		}
		for _, writes := range []bool{false, true} {
			if threads, err := w.Threads(t.Context(), Edge{Writes: writes}); err == nil {
				threads.Close()
				t.Errorf("%s: opened", place)
			}
		}
		if left, err := os.ReadDir(out); err != nil || len(left) != 1 {
			t.Errorf("%s: %v, %v", place, left, err)
		}
	}
	w := open(t)
	write(t, w.Root, "kept/here", "")
	if err := os.Symlink("kept", filepath.Join(w.Root, StateDir)); err != nil {
		t.Fatal(err)
	}
	if threads, err := w.Threads(t.Context(), Edge{Writes: true}); err != nil {
		t.Error(err)
	} else {
		threads.Close()
	}
}

// TestThreadsIgnored asks git what it sees of threads: what another checkout
// can go on with, and nothing of the processes of this one.
func TestThreadsIgnored(t *testing.T) {
	needs.Tool(t, "git")
	w := open(t)
	threads, err := w.Threads(t.Context(), Edge{Writes: true})
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
			write(t, w.Root, name, "x")
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
