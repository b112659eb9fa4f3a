package stores

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/document/task"
	"handoff/internal/testing/needs"
	"handoff/workspace/config"
)

// repository is a git repository with a workspace in a folder of it, whose name is a pattern.
func repository(t *testing.T) (top string, tree *Private) {
	t.Helper()
	needs.Tool(t, "git")
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(top, "a[1]")
	if err := os.MkdirAll(filepath.Join(root, "specs/1_a/handoffs"), 0o755); err != nil {
		t.Fatal(err)
	}
	gitIn(t, top, "init", "-q")
	return top, &Private{Root: root, State: ".handoff"}
}

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return string(out)
}

func put(t *testing.T, path string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte("x"), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestExclude: git does not see handoffs, and sees all else; the user's lines stay, whatever their
// end is; what git has of specs is not hidden.
func TestExclude(t *testing.T) {
	for name, c := range map[string]struct {
		before  string
		tracked string // "" for nothing
		config  config.Config
		hidden  []string
		seen    []string
	}{
		"a new specs": {"mine\n", "", config.Config{}, []string{"specs/1_a/handoffs/x.md", "specs/1_a/plan.md", ".handoff/x", ".rip/x"}, []string{"main.go", "other/specs/x"}},
		"no line end": {"mine", "", config.Config{}, []string{"specs/1_a/handoffs/x.md"}, []string{"main.go"}},
		"a shared specs": {"", "specs/1_a/spec.md", config.Config{}, []string{"specs/1_a/handoffs/x.md", "specs/1_a/.return-meta.json"},
			[]string{"specs/1_a/plan.md", "main.go"}},
		"one file": {"", "", config.Config{Documents: task.Layouts{{Files: []string{"HANDOFF.md"}}}}, []string{"HANDOFF.md"}, []string{"sub/HANDOFF.md"}},
	} {
		t.Run(name, func(t *testing.T) {
			top, tree := repository(t)
			list := filepath.Join(top, ".git/info/exclude")
			if err := os.WriteFile(list, []byte(c.before), 0o644); err != nil {
				t.Fatal(err)
			}
			if c.tracked != "" {
				put(t, filepath.Join(tree.Root, c.tracked))
				gitIn(t, top, "add", "-A")
			}
			for want := range 2 { // the second time it is there
				if added, err := tree.Exclude(t.Context(), &c.config); err != nil || added != (want == 0) {
					t.Fatal(added, err)
				}
			}
			for _, path := range append(c.hidden, c.seen...) {
				put(t, filepath.Join(tree.Root, path))
			}
			status := gitIn(t, top, "status", "--porcelain", "-uall")
			for _, path := range c.hidden {
				if strings.Contains(status, "a[1]/"+path) {
					t.Errorf("git sees %s", path)
				}
			}
			for _, path := range c.seen {
				if !strings.Contains(status, "?? a[1]/"+path) {
					t.Errorf("git does not see %s: %s", path, status)
				}
			}
			if removed, err := tree.Include(); err != nil || !removed {
				t.Fatal(removed, err)
			}
			after, _ := os.ReadFile(list)
			if want := c.before; string(after) != want && string(after) != want+"\n" {
				t.Errorf("%q became %q", want, after)
			}
			if removed, err := tree.Include(); err != nil || removed {
				t.Error(removed, err)
			}
		})
	}
}

// TestExcludeNowhere: without a repository there is nothing to exclude from.
func TestExcludeNowhere(t *testing.T) {
	tree := &Private{Root: t.TempDir(), State: ".handoff"}
	if _, err := tree.Exclude(t.Context(), &config.Config{}); !errors.Is(err, ErrNoRepository) {
		t.Error(err)
	}
	if _, err := tree.Include(); err != nil {
		t.Error(err)
	}
}
