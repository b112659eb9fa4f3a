package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/workspace"
	"handoff/workspace/config"
)

// TestLocateInProject: the workspace is looked for up to the top of the working tree, and
// not in what is above it. An empty folder .git is no top.
func TestLocateInProject(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"shared/specs/1_theirs/handoffs",
		"shared/proj/sub", "shared/proj/.git/objects", "shared/proj/.git/refs",
		"shared/empty/sub", "shared/empty/.git",
		"shared/specs/2_more/repo/.git/objects", "shared/specs/2_more/repo/.git/refs",
	} {
		must(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
	}
	shared := filepath.Join(dir, "shared")
	for _, name := range []string{"proj/.git/HEAD", "specs/2_more/repo/.git/HEAD", "specs/2_more/repo/.handoff.yaml", ".handoff.yaml"} {
		must(t, os.WriteFile(filepath.Join(shared, name), nil, 0o644))
	}
	for from, want := range map[string]string{
		"proj/sub": "proj/sub", "proj": "proj", "empty/sub": "", "empty": "", "specs/1_theirs": "", "specs/2_more/repo": "specs/2_more/repo",
	} {
		root, file := workspace.Locate(filepath.Join(shared, from))
		if root != filepath.Join(shared, want) {
			t.Errorf("from %s: %s, want %s", from, root, want)
		}
		if strings.HasPrefix(from, "proj") && file != "" || want == "" && file != filepath.Join(shared, config.File) {
			t.Errorf("from %s: the configuration is %q", from, file)
		}
	}
}
