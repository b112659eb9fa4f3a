package reconcile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/artifact"
	"handoff/internal/needs"
	"handoff/reconcile"
)

// TestLinksOut reads nothing and writes nothing behind a link that leads out
// of the workspace, and follows one that stays inside.
func TestLinksOut(t *testing.T) {
	outside := t.TempDir()
	secret := "# Phase 1 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nsecret\n"
	put(t, outside, "doc.md", []byte(secret))
	put(t, outside, "meta.json", []byte(`{"status": "partial"}`))
	put(t, outside, "handoffs/phase-1-handoff-20260212T143022Z.md", []byte(secret))
	link := func(t *testing.T, root, target, name string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		needs.Symlink(t, target, path)
	}
	const task, doc = "specs/1_x", "specs/1_x/handoffs/phase-1-handoff-20260212T143022Z.md"
	tests := map[string]func(t *testing.T, root string){
		"document": func(t *testing.T, root string) { link(t, root, filepath.Join(outside, "doc.md"), doc) },
		"folder":   func(t *testing.T, root string) { link(t, root, filepath.Join(outside, "handoffs"), task+"/handoffs") },
		"metadata": func(t *testing.T, root string) {
			put(t, root, doc, []byte(strings.Replace(secret, "secret", "open", 1)))
			link(t, root, filepath.Join(outside, "meta.json"), task+"/.return-meta.json")
		},
		"progress": func(t *testing.T, root string) {
			put(t, root, doc, []byte(strings.Replace(secret, "secret", "open", 1)))
			put(t, outside, "progress/phase-1-progress.json", []byte(`{"handoff_count": 0}`))
			link(t, root, filepath.Join(outside, "progress"), task+"/progress")
		},
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			prepare(t, root)
			plan := loadAndMake(t, root, task)
			for _, w := range plan.Writes {
				if name != "progress" || strings.Contains(w.Path, "progress") {
					t.Errorf("%s is written", w.Path)
				}
			}
			if name != "progress" && !plan.Empty() || len(plan.Problems) != 1 || !strings.Contains(plan.Problems[0].Text, "symbolic link out of the workspace") {
				t.Errorf("%+v", plan)
			}
		})
	}
	t.Run("inside", func(t *testing.T) {
		root := t.TempDir()
		put(t, root, "notes/doc.md", []byte(secret))
		link(t, root, filepath.Join(root, "notes/doc.md"), doc)
		if plan := loadAndMake(t, root, task); len(plan.Blobs) != 1 || len(plan.Problems) > 0 {
			t.Errorf("%+v", plan)
		}
	})
	t.Run("folders inside", func(t *testing.T) {
		root := t.TempDir()
		put(t, root, "notes/handoffs/phase-1-handoff-20260212T143022Z.md", []byte(secret))
		put(t, root, "notes/progress/phase-1-progress.json", []byte(`{"handoff_count": 0}`))
		put(t, root, "notes/plans/1.md", []byte("## Phase 1\n\n## Phase 2\n"))
		for _, name := range []string{"handoffs", "progress", "plans"} {
			link(t, root, filepath.Join(root, "notes", name), task+"/"+name)
		}
		plan := loadAndMake(t, root, task)
		if len(plan.Blobs) != 1 || len(plan.Problems) > 0 || len(plan.Writes) != 2 || !strings.Contains(string(plan.Writes[0].New), `"phases_total": 2`) {
			t.Errorf("%+v", plan)
		}
	})
}

func loadAndMake(t *testing.T, root, task string) reconcile.Plan {
	t.Helper()
	store, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	state, err := reconcile.Load(root, store, task)
	if err != nil {
		t.Fatal(err)
	}
	return reconcile.Make(state)
}
