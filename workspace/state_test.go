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
