package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/testing/treetest"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/create"
)

// TestWatchCreates makes metadata for a handoff that is written while the watch
// runs, and for no other: not for an older one, one that is moved in, edited or
// moved away, or a report.
func TestWatchCreates(t *testing.T) {
	root := t.TempDir()
	old := func(task string) string {
		path := task + "/handoffs/phase-1-handoff-20260101T000000Z.md"
		treetest.WriteDocument(t, root, path)
		return path
	}
	there := old("specs/1_there")
	old("moved/2_moved")
	hourAgo := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(root, "moved/2_moved/handoffs/phase-1-handoff-20260101T000000Z.md"), hourAgo, hourAgo); err != nil {
		t.Fatal(err)
	}
	x := watchOf(t, workspace.New(root, config.Default(), workspace.Options{}), nil)
	treetest.Write(t, root, there, treetest.Document("edited"))
	if err := os.Rename(filepath.Join(root, "moved/2_moved"), filepath.Join(root, "specs/2_moved")); err != nil {
		t.Fatal(err)
	}
	old("specs/archive/3_away")
	treetest.Write(t, root, "specs/4_report/handoffs/phase-1-handoff-20260101T000000Z.md", "# Phase 1 Handoff: done\n\n**Status**: COMPLETED\n\n## References\n- x\n")
	x.linked(x.write("specs/5_new", 1))
	x.stop() // nothing is left in the queue
	for _, task := range []string{"1_there", "2_moved", "archive/3_away", "4_report"} {
		if src, err := os.ReadFile(filepath.Join(root, "specs", task, handoff.MetadataFile)); err == nil {
			t.Errorf("specs/%s: metadata was made up: %s", task, src)
		}
	}
}

// TestWatchKeepsStageZero writes what an agent writes at its start beside the
// handoff of its predecessor: it stays.
func TestWatchKeepsStageZero(t *testing.T) {
	x := newWatching(t, nil)
	first := x.write("specs/1_a", 1)
	x.linked(first)
	const zero = `{"status": "in_progress", "started_at": "2026-01-01T00:05:00Z", "artifacts": [],
 "partial_progress": {"stage": "initializing", "details": "Agent started, parsing delegation context"}}
`
	treetest.Write(t, x.w.Root, "specs/1_a/.return-meta.json", zero)
	x.linked(first) // the watch has been there
	src, err := os.ReadFile(filepath.Join(x.w.Root, "specs/1_a/.return-meta.json"))
	if err != nil || !strings.Contains(string(src), `"status": "in_progress"`) || !strings.Contains(string(src), `"details": "Agent started`) ||
		strings.Contains(string(src), "handoff_path") {
		t.Errorf("%v:\n%s", err, src)
	}
}

// TestMayNotCreate forbids metadata by the configuration, to a watch and to new.
func TestMayNotCreate(t *testing.T) {
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	w.Config.CreateMetadata = false
	x := watchOf(t, w, nil)
	x.write("specs/1_a", 1)
	treetest.Write(t, w.Root, "specs/2_b/.return-meta.json", `{"status": "partial"}`)
	x.linked(x.write("specs/2_b", 1))
	x.stop()
	made, err := create.Run(t.Context(), w, create.Request{Values: templates.Values{Task: 7, Phase: 1}, Slug: "small", Draft: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"specs/1_a", filepath.Dir(filepath.Dir(made.Path))} {
		if _, err := os.Lstat(filepath.Join(w.Root, dir, handoff.MetadataFile)); err == nil {
			t.Errorf("%s: metadata was made", dir)
		}
	}
}
