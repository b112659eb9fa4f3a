package sync

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/testing/treetest"
	"handoff/log/artifact"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/gc"
	"handoff/workspace/reconcile"
)

// TestOwnFoldersAreSwept has sync take away what a killed process left there.
func TestOwnFoldersAreSwept(t *testing.T) {
	w := open(t)
	for _, dir := range []string{".", "threads", "sessions", "tasks", "tmp"} {
		path := filepath.Join(w.Root, workspace.StateDir, dir, atomicfile.TempPrefix+"elsewhere-1-x")
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
	if err := Run(t.Context(), w, Request{}, func(Result) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if left := treetest.Temps(t, filepath.Join(w.Root, workspace.StateDir)); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// TestExchangesInScratch has sync complete exchanges that a killed process left in the
// scratch folder: those of tasks, and of documents anywhere. In a hostile tree, others
// could name any file.
func TestExchangesInScratch(t *testing.T) {
	w := open(t)
	treetest.WriteDocument(t, w.Root, "specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md")
	const ours, theirs = `{"status": "completed", "by": "us"}`, `{"status": "completed", "by": "them"}`
	held := func(of string) string {
		sum := func(text string) string { return artifact.Sum([]byte(text)).String()[:16] }
		return workspace.ScratchDir + "/.handoff-swap-elsewhere-1-0-x-" + sum("old") + "-" + sum(ours) + "-" + strings.ReplaceAll(of, "/", "%2F")
	}
	for file, want := range map[string]string{
		"specs/1_a/.return-meta.json":              theirs,
		"specs/1_a/progress/phase-1-progress.json": theirs,
		"specs/1_a/handoffs/a.md":                  theirs,
		"docs/handoffs/b.md":                       theirs,
		".git/config":                              ours,
		".git/refs/heads/x.md":                     ours,
		".GIT/y.md":                                ours,
		".envrc":                                   ours,
	} {
		treetest.Write(t, w.Root, file, ours)
		treetest.Write(t, w.Root, held(file), theirs)
		if err := Run(t.Context(), w, Request{}, func(Result) error { return nil }); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(w.Root, file))
		if by := want[len(`{"status": "completed", `) : len(want)-1]; err != nil || !strings.Contains(string(got), by) {
			t.Errorf("%s: %s, %v", file, got, err)
		}
		_, err = os.Lstat(filepath.Join(w.Root, held(file)))
		if completed := errors.Is(err, fs.ErrNotExist); completed != (want == theirs) {
			t.Errorf("%s: completed %v", file, completed)
		}
	}
}

// TestGCBetweenPlanAndApply removes a bundle that nothing names between the two
// steps of the sync that is about to name it again.
func TestGCBetweenPlanAndApply(t *testing.T) {
	w := open(t)
	const doc = "specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md"
	sync := func() Result {
		t.Helper()
		one, err := One(t.Context(), w, Request{Tasks: []string{"specs/1_a"}, Fresh: []string{doc}})
		if err = errors.Join(err, one.Err); err != nil {
			t.Fatal(err)
		}
		return one
	}
	treetest.WriteDocument(t, w.Root, doc)
	first := sync().Plan.Links[0].ID
	treetest.Write(t, w.Root, doc, treetest.Document("another"))
	sync()
	treetest.WriteDocument(t, w.Root, doc) // as before, so its bundle exists
	store, err := artifact.Open(w.Root)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	state, err := new(reconcile.Loader).Load(t.Context(), w.Root, store, "specs/1_a")
	if err != nil {
		t.Fatal(err)
	}
	plan := reconcile.Make(state)
	long := workspace.New(w.Root, config.Default(), workspace.Options{Now: func() time.Time { return time.Now().AddDate(1, 0, 0) }})
	if _, err := gc.Collect(t.Context(), long, gc.Request{Delete: true}); err != nil || len(store.Missing([]artifact.ID{first})) == 0 {
		t.Fatalf("nothing refers to it, and it was not removed: %v", err)
	}
	s := Syncer{Workspace: w, Store: store}
	if err := s.apply(plan); !errors.Is(err, reconcile.ErrChanged) {
		t.Errorf("%v: the metadata names a bundle that is gone", err)
	}
	sync()
	if err := store.Verify(first); err != nil {
		t.Error(err)
	}
}

func open(t *testing.T) *workspace.Workspace {
	t.Helper()
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	if err := os.Mkdir(w.Specs(), 0o755); err != nil {
		t.Fatal(err)
	}
	return w
}
