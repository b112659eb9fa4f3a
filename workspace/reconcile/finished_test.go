package reconcile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/log/artifact"
	"handoff/workspace/reconcile"
)

// TestFinished: a task is passed over without a look at its documents only if that look would
// find nothing that waits, and no doubt.
func TestFinished(t *testing.T) {
	const dir = "specs/1_a"
	for metadata, want := range map[string]bool{
		"":                          false,
		`{}`:                        false,
		`{"status": "partial"}`:     false,
		`{"status": "in_progress"}`: false,
		`{"status": "blocked"}`:     false,
		`{"status": ""}`:            false,
		`{"status": 1}`:             false,
		`{"status": "completed"}`:   true,
		`{"status": "implemented"}`: true,
		`{"status": "completed", "requires_user_review": true}`:  false,
		`{"status": "completed", "requires_user_review": false}`: true,
		`{"status": "completed"`:                                 false,
		`{"status": "completed"} x`:                              false,
		`["completed"]`:                                          false,
		`{"status": "completed", "status": "partial"}`:           false,
		`{"status": "partial", "status": "completed"}`:           false,
	} {
		root := t.TempDir()
		treetest.WriteDocument(t, root, dir+"/handoffs/phase-1-handoff-20260212T143022Z.md")
		if metadata != "" {
			treetest.Write(t, root, dir+"/.return-meta.json", metadata)
		}
		for _, brief := range []bool{false, true} {
			load := reconcile.Loader{Brief: brief}
			if got := load.Finished(root, dir); got != want {
				t.Errorf("%s: finished %t", metadata, got)
			}
		}
		if !want {
			continue
		}
		store, err := artifact.Open(root)
		if err != nil {
			t.Fatal(err)
		}
		state, err := (*reconcile.Loader)(nil).Load(t.Context(), root, store, dir)
		if err != nil {
			t.Fatal(err)
		}
		if wait := state.Wait(); wait.Path != "" || wait.Doubt != "" {
			t.Errorf("%s: finished, and %q waits: %s", metadata, wait.Path, wait.Doubt)
		}
		store.Close()
	}
}

// TestFinishedElsewhere: metadata outside of the workspace, and a folder that is a link there, finish nothing.
func TestFinishedElsewhere(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	treetest.Write(t, outside, ".return-meta.json", `{"status": "completed"}`)
	if err := os.MkdirAll(filepath.Join(root, "specs", "1_a"), 0o755); err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, filepath.Join(outside, ".return-meta.json"), filepath.Join(root, "specs", "1_a", ".return-meta.json"))
	needs.Symlink(t, outside, filepath.Join(root, "specs", "2_b"))
	for _, dir := range []string{"specs/1_a", "specs/2_b", "specs/3_none"} {
		if new(reconcile.Loader).Finished(root, dir) {
			t.Errorf("%s is finished", strings.TrimPrefix(dir, "specs/"))
		}
	}
}
