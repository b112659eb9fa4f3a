package sync

import (
	"os/exec"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/log/artifact"
	"handoff/workspace/documents"
	"handoff/workspace/reconcile"
	"handoff/workspace/seen"
)

// TestGitBetween has git begin and end between the look at a task and what is written for it, as a rebase does that is
// aborted: what was read meanwhile is gone, and must not be in the metadata.
func TestGitBetween(t *testing.T) {
	needs.Tool(t, "git")
	w := open(t)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=ann", "-c", "user.email=ann@example.org"}, args...)...)
		cmd.Dir = w.Root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	const dir, first, second = "specs/1_a", "specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md", "specs/1_a/handoffs/phase-1-handoff-20260101T000100Z.md"
	treetest.Write(t, w.Root, dir+"/.return-meta.json", "{\"status\": \"in_progress\"}\n")
	treetest.WriteDocument(t, w.Root, first)
	git("init", "-q")
	store, err := artifact.Open(w.Root)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	looks := 0
	s := &Syncer{Workspace: w, Store: store, Book: seen.Open(w.Root)}
	defer s.Close()
	s.Skip = func(reconcile.State) bool {
		if looks++; looks == 2 {
			git("stash", "push", "-q", "-u", "--", second)
		}
		return false
	}
	look := func() {
		t.Helper()
		err := s.All(t.Context(), []string{dir}, func(r Result) error { return r.Err })
		if err != nil {
			t.Fatal(err)
		}
	}
	look()
	git("add", "-A")
	git("commit", "-qm", "first")
	treetest.WriteDocument(t, w.Root, second)
	look()
	src, err := documents.Metadata(w, dir)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(src); strings.Contains(text, second) || !strings.Contains(text, first) {
		t.Errorf("after %d looks: %s", looks, text)
	}
}
