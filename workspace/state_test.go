package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/needs"
)

// TestStateIgnored asks git what it sees of the files of a sync and a watch.
func TestStateIgnored(t *testing.T) {
	x := newWatching(t, nil)
	x.linked(x.write("specs/1_a", 1))
	template := filepath.Join(x.w.Root, StateDir, "templates", TemplateFile)
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
	out, err := exec.Command("git", "-C", x.w.Root, "status", "--porcelain", "-uall", "--", StateDir).Output()
	if err != nil || strings.TrimSpace(string(out)) != "?? .handoff/templates/"+TemplateFile {
		t.Errorf("git sees, %v:\n%s", err, out)
	}
	if entries, err := os.ReadDir(filepath.Join(x.w.Root, StateDir)); err != nil || len(entries) < 6 {
		t.Errorf("there is only %v, %v", entries, err)
	}
}

// TestStateIgnoreKept keeps a list that the user has changed.
func TestStateIgnoreKept(t *testing.T) {
	w := open(t)
	path := filepath.Join(w.Root, StateDir, ".gitignore")
	if _, err := w.stateDir(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("*\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := w.stateDir(); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "*\n" {
		t.Errorf("%q", got)
	}
}
