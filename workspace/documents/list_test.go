package documents

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/workspace"
	"handoff/workspace/config"
)

// TestFindNewest finds the newest of a task's handoffs also where the names
// leave it open.
func TestFindNewest(t *testing.T) {
	const one, four = "phase-1-handoff-20260317015115.md", "phase-4-handoff-20260317.md"
	names := func(name string) string {
		return `{"status": "partial", "partial_progress": {"handoff_path": "specs/982_x/handoffs/` + name + `"}}`
	}
	for name, tt := range map[string]struct {
		documents []string
		metadata  string
		younger   string // by its file
		want      string
	}{
		"recorded":         {[]string{one, four}, names(four), "", four},
		"recorded earlier": {[]string{one, four}, names(one), "", one},
		"gone":             {[]string{one, four}, names("x.md"), "", four},
		"broken metadata":  {[]string{one, four}, "{", "", four},
		"by phase":         {[]string{one, four}, "", "", four},
		"by file":          {[]string{one, four}, "", one, one},
		"version":          {[]string{"phase-5-handoff-20260227.md", "phase-5-handoff-20260227-v2.md"}, "", "phase-5-handoff-20260227.md", "phase-5-handoff-20260227-v2.md"},
		"by name":          {[]string{one, "phase-4-handoff-20260318.md"}, names(one), one, "phase-4-handoff-20260318.md"},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
			for _, d := range tt.documents {
				treetest.WriteDocument(t, w.Root, "specs/982_x/handoffs/"+d)
				changed := at
				if d == tt.younger {
					changed = at.Add(time.Hour)
				}
				if err := os.Chtimes(filepath.Join(w.Root, "specs/982_x/handoffs", d), changed, changed); err != nil {
					t.Fatal(err)
				}
			}
			if tt.metadata != "" {
				treetest.Write(t, w.Root, "specs/982_x/.return-meta.json", tt.metadata)
			}
			for _, ref := range []string{"982", "latest"} {
				e, err := Find(t.Context(), w, w.Root, ref)
				if err != nil || path.Base(e.Path) != tt.want {
					t.Errorf("%s: %s, %v, want %s", ref, e.Path, err, tt.want)
				}
				if inDoubt := name == "gone" || name == "broken metadata" || name == "by phase"; inDoubt != (e.Doubt != "") {
					t.Errorf("%s: in doubt is %t: %q", ref, inDoubt, e.Doubt)
				}
			}
		})
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

// TestListOfTask: a list of one task enters no other task's folder, so an
// unreadable one of those is not reported.
func TestListOfTask(t *testing.T) {
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	for _, path := range []string{"specs/0_zero", "specs/7_a", "specs/archive/9_c"} {
		treetest.WriteDocument(t, w.Root, path+"/handoffs/phase-1-handoff-20260101T000000Z.md")
	}
	for _, dir := range []string{"specs/8_b", "specs/archive/10_d"} {
		if err := os.MkdirAll(filepath.Join(w.Root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		needs.Symlink(t, t.TempDir(), filepath.Join(w.Root, dir, "handoffs")) // out of the workspace: an error
	}
	for _, c := range []struct {
		filter         Filter
		listed, errors int
	}{
		{Filter{}, 3, 2},
		{Filter{Live: true}, 2, 1},
		{Filter{Task: new(0)}, 1, 0},
		{Filter{Task: new(7)}, 1, 0},
		{Filter{Task: new(8)}, 0, 1},
		{Filter{Task: new(9)}, 1, 0},
		{Filter{Task: new(9), Live: true}, 0, 0},
	} {
		list, err := List(t.Context(), w, c.filter)
		errs := 0
		if err != nil {
			errs = 1 + strings.Count(err.Error(), "\n")
		}
		if len(list) != c.listed || errs != c.errors {
			t.Errorf("%+v: %d handoffs and %d errors, want %d and %d: %v", c.filter, len(list), errs, c.listed, c.errors, err)
		}
	}
}
