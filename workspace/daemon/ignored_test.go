package daemon

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/workspace"
	"handoff/workspace/config"
)

// TestStateIgnored asks git what it sees of the files of a sync and a watch.
func TestStateIgnored(t *testing.T) {
	x := newWatching(t, nil)
	x.linked(x.write("specs/1_a", 1))
	template := filepath.Join(x.w.Root, workspace.StateDir, "templates", config.TemplateFile)
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
	out, err := exec.Command("git", "-C", x.w.Root, "status", "--porcelain", "-uall", "--", workspace.StateDir).Output()
	if err != nil || strings.TrimSpace(string(out)) != "?? .handoff/templates/"+config.TemplateFile {
		t.Errorf("git sees, %v:\n%s", err, out)
	}
	if entries, err := os.ReadDir(filepath.Join(x.w.Root, workspace.StateDir)); err != nil || len(entries) < 6 {
		t.Errorf("there is only %v, %v", entries, err)
	}
}
