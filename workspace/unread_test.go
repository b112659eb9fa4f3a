package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/sync"
	"handoff/workspace/verify"
)

// TestUnreadableFolder: a folder of tasks that cannot be listed is reported, and
// the tasks beside it are synced and verified.
func TestUnreadableFolder(t *testing.T) {
	needs.Unix(t, "folders without a mode for reading")
	needs.NotRoot(t, func() {
		w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
		treetest.WriteDocument(t, w.Root, "specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md")
		if err := os.WriteFile(filepath.Join(w.Root, "specs/1_a/.return-meta.json"), []byte(`{"status":"partial"}`), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(w.Root, "specs/secret"), 0); err != nil {
			t.Fatal(err)
		}
		var tasks []string
		for name, err := range map[string]error{
			"sync": sync.Run(t.Context(), w, sync.Request{}, func(s sync.Result) error {
				tasks = append(tasks, "sync "+s.Plan.Dir)
				return s.Err
			}),
			"verify": verify.Run(t.Context(), w, verify.Request{}, func(v *verify.Result) error {
				tasks = append(tasks, "verify "+v.Dir)
				return v.Err
			}),
		} {
			if err == nil || !strings.Contains(err.Error(), "specs/secret: permission denied") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if want := []string{"sync specs/1_a", "verify specs/1_a"}; !slices.Equal(tasks, want) {
			t.Errorf("tasks %q, want %q", tasks, want)
		}
	})
}
