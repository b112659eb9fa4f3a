package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/treetest"
	"handoff/workspace"
	"handoff/workspace/config"
)

// TestSpelled: a file has one path, whatever its user types. Where case matters, another spelling is another file.
func TestSpelled(t *testing.T) {
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	const file = "specs/1_One/handoffs/Phase-1.md"
	treetest.Write(t, w.Root, file, "x")
	upper := strings.ToUpper(file)
	_, err := os.Lstat(w.Full(upper))
	ignoresCase := err == nil
	want := file
	if !ignoresCase {
		treetest.Write(t, w.Root, upper, "y")
		want = upper
	}
	for typed, want := range map[string]string{file: file, upper: want, "specs/2_gone/x.md": "specs/2_gone/x.md", ".": "."} {
		if got := w.Spelled(w.Full(typed)); got != want {
			t.Errorf("%s (case is ignored: %t): %s, want %s", typed, ignoresCase, got, want)
		}
	}
	if outside := filepath.Dir(w.Root); w.Spelled(outside) != w.Rel(outside) {
		t.Errorf("%s: %s", outside, w.Spelled(outside))
	}
}
