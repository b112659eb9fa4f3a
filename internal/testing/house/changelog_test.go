package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// TestChangelog: each change is a list of items, and the script makes a section of all of them.
func TestChangelog(t *testing.T) {
	needs.Tool(t, "bash")
	dir := t.TempDir()
	for _, file := range []string{"CHANGELOG.md", ".ci/changelog"} {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, file), string(src))
	}
	changes, err := filepath.Glob("docs/changelog.d/*.md")
	if err != nil || len(changes) == 0 {
		t.Fatal(changes, err)
	}
	items := []string{"* a **change** of `claim`"}
	put(t, filepath.Join(dir, "docs/changelog.d/successor-test.md"), items[0]+"\n")
	for _, file := range changes {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, file), string(src))
		if filepath.Base(file) == "README.md" {
			continue
		}
		for line := range strings.Lines(string(src)) {
			if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "* ") && !strings.HasPrefix(line, "  ") || len(line) > 170 {
				t.Errorf("%s: want items with lines of at most 170 characters: %q", file, line)
			}
			items = append(items, line)
		}
	}
	if out, err := exec.Command("bash", filepath.Join(dir, ".ci/changelog"), "9.9.9").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	src, err := os.ReadFile(filepath.Join(dir, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(src), "## 9.9.9\n")
	section, _, older := strings.Cut(section, "\n## ")
	for _, item := range items {
		if !older || !strings.Contains(section, item) {
			t.Errorf("%q is not in the section of the release: does its file begin with a part that .ci/changelog knows?\n%s", item, section)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "docs/changelog.d/*.md")); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
