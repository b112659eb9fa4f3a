package workspace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/artifact"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/workspace"
)

// TestStateIgnoreKept keeps a list that the user has changed.
func TestStateIgnoreKept(t *testing.T) {
	w := open(t)
	path := filepath.Join(w.Root, workspace.StateDir, ".gitignore")
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

// TestThreadsIgnored asks git which files of threads it sees: those with which
// another checkout can continue, but none for this checkout's processes.
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
	path := workspace.StateDir + "/threads/" + info.ThreadID + ".jsonl"
	for _, name := range []string{path, path + ".idx/head", path + ".torn-12-1", path + ".lock", workspace.StateDir + "/threads.jsonl.idx/head",
		workspace.ScratchDir + "/.handoff-tmp-1", workspace.StateDir + "/sessions/r.jsonl", workspace.StateDir + "/sessions/r.jsonl.lock", workspace.StateDir + "/runs/r.json", workspace.StateDir + "/runs/r.lock"} {
		if name != path {
			treetest.Write(t, w.Root, name, "x")
		}
	}
	if out, err := exec.Command("git", "-C", w.Root, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	out, err := exec.Command("git", "-C", w.Root, "status", "--porcelain", "-uall", "--", workspace.StateDir).Output()
	want := "?? .handoff/sessions/r.jsonl\n?? .handoff/threads.jsonl\n?? " + path + "\n"
	if err != nil || string(out) != want {
		t.Errorf("git sees, %v:\n%swant\n%s", err, out, want)
	}
}

// TestScratchIgnored asks git which files it sees in a clone whose .handoff/.gitignore is
// older than the scratch folder, after a write.
func TestScratchIgnored(t *testing.T) {
	needs.Tool(t, "git")
	w := open(t)
	treetest.Write(t, w.Root, workspace.StateDir+"/.gitignore", "/.gitignore\n")
	if _, _, _, err := w.PutArtifact(strings.NewReader("x"), artifact.ID{}); err != nil {
		t.Fatal(err)
	}
	treetest.Write(t, w.Root, workspace.ScratchDir+"/.handoff-swap-1", "x")
	if out, err := exec.Command("git", "-C", w.Root, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	out, err := exec.Command("git", "-C", w.Root, "status", "--porcelain", "-uall", "--", workspace.StateDir).Output()
	if err != nil || len(out) > 0 {
		t.Errorf("git sees, %v:\n%s", err, out)
	}
}
