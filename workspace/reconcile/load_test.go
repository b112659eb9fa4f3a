package reconcile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/log/artifact"
	"handoff/workspace/reconcile"
)

// TestLinksOut neither reads nor writes through a symlink that leaves the
// workspace, and follows one that stays inside.
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
			if name != "progress" && !plan.Empty() || len(plan.Problems) != 1 || !strings.Contains(plan.Problems[0].Text, "which leads out of the workspace") {
				t.Errorf("%+v", plan)
			}
		})
	}
	t.Run("inside", func(t *testing.T) {
		root := t.TempDir()
		put(t, root, "notes/doc.md", []byte(secret))
		put(t, root, task+"/.return-meta.json", []byte(`{"status": "partial"}`))
		link(t, root, filepath.Join(root, "notes/doc.md"), doc)
		if plan := loadAndMake(t, root, task); len(plan.Blobs) != 1 || len(plan.Problems) > 0 {
			t.Errorf("%+v", plan)
		}
	})
	t.Run("nowhere", func(t *testing.T) {
		root := t.TempDir()
		link(t, root, "gone.md", doc)
		if plan := loadAndMake(t, root, task); !plan.Empty() || len(plan.Problems) != 1 || plan.Problems[0].Path != doc ||
			!strings.Contains(plan.Problems[0].Text, "a symbolic link to a file that does not exist") {
			t.Errorf("%+v", plan)
		}
	})
	t.Run("folders inside", func(t *testing.T) {
		root := t.TempDir()
		put(t, root, "notes/handoffs/phase-1-handoff-20260212T143022Z.md", []byte(secret))
		put(t, root, "notes/progress/phase-1-progress.json", []byte(`{"handoff_count": 0}`))
		put(t, root, task+"/.return-meta.json", []byte(`{"status": "partial"}`))
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

// TestLoader loads tasks into the same memory, forwards and backwards: the plan
// of each is what it is alone, and stays so.
func TestLoader(t *testing.T) {
	root := t.TempDir()
	var tasks []string
	for i := range 7 {
		task := fmt.Sprintf("specs/%d_x", i)
		for n := range i {
			text := fmt.Sprintf("# Phase %d Handoff - 20260212T143022Z\n\n## Immediate Next Action\n%s\n\n## References\n- a/%d.go\n", n+1, strings.Repeat("go on ", i), i)
			put(t, root, fmt.Sprintf("%s/handoffs/phase-%d-handoff-20260212T143022Z.md", task, n+1), []byte(text))
		}
		put(t, root, task+"/plans/1.md", []byte(strings.Repeat("## Phase 1\n\n", i+1)))
		tasks = append(tasks, task)
	}
	store, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var loader reconcile.Loader
	var plans, alone []reconcile.Plan
	for i := range 2 * len(tasks) {
		task := tasks[min(i, 2*len(tasks)-1-i)]
		state, err := loader.Load(t.Context(), root, store, task)
		if err != nil {
			t.Fatal(err)
		}
		plans, alone = append(plans, reconcile.Make(state)), append(alone, loadAndMake(t, root, task))
	}
	for i := range plans {
		if !reflect.DeepEqual(plans[i], alone[i]) {
			t.Errorf("%s: %+v, alone %+v", plans[i].Dir, plans[i], alone[i])
		}
	}
}

func loadAndMake(t *testing.T, root, task string) reconcile.Plan {
	t.Helper()
	store, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	state, err := new(reconcile.Loader).Load(t.Context(), root, store, task)
	if err != nil {
		t.Fatal(err)
	}
	return reconcile.Make(state)
}

// TestNewestPlan chooses a plan only where the names show which is newest.
func TestNewestPlan(t *testing.T) {
	const task = "specs/1_x"
	for _, c := range []struct{ names, want string }{
		{"one.md", "one.md"},
		{"implementation-001.md implementation-002.md implementation-010.md", "implementation-010.md"},
		{"01_draft.md 02_rewrite.md", "02_rewrite.md"},
		{"implementation-002.md implementation-002-revised.md", ""},
		{"implementation-003.md 12_rewrite.md", ""},
		{"implementation-003.md notes.md", ""},
	} {
		root := t.TempDir()
		for _, name := range strings.Fields(c.names) {
			put(t, root, task+"/plans/"+name, []byte("# Plan\n"))
		}
		store, err := artifact.Open(root)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		state, err := new(reconcile.Loader).Load(t.Context(), root, store, task)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimPrefix(state.Plan.Path, task+"/plans/"); got != c.want {
			t.Errorf("of %s: %q, want %q", c.names, got, c.want)
		}
	}
}

// TestBriefLoader: a look at many tasks enters none of them through a symlink
// that leaves the workspace, whichever task came before it.
func TestBriefLoader(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"specs/1_a", "specs/3_c", "specs/group/4_d"} {
		put(t, root, dir+"/handoffs/phase-1-handoff-20260101T000000Z.md", []byte("# Phase 1 Handoff - 20260101T000000Z\n"))
	}
	needs.Symlink(t, t.TempDir(), filepath.Join(root, "specs/2_b"))
	needs.Symlink(t, t.TempDir(), filepath.Join(root, "specs/out"))
	needs.Symlink(t, "1_a", filepath.Join(root, "specs/5_e"))
	brief := reconcile.Loader{Brief: true}
	for _, c := range []struct {
		dir       string
		documents int // -1: an error
	}{
		{"specs/1_a", 1}, {"specs/2_b", -1}, {"specs/3_c", 1}, {"specs/5_e", 1}, {"specs/6_f", -1},
		{"specs/group/4_d", 1}, {"specs/out/1_a", -1}, {"specs/1_a", 1},
	} {
		s, err := brief.Load(t.Context(), root, nil, c.dir)
		if (err != nil) != (c.documents < 0) || err == nil && len(s.Documents) != c.documents {
			t.Errorf("%s: %d documents, %v", c.dir, len(s.Documents), err)
		}
	}
}
