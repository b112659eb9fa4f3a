package workspace

import (
	"path/filepath"
	"testing"

	"handoff/internal/testing/treetest"
)

// TestLookStaysInside: a document cannot find out what is outside its workspace.
func TestLookStaysInside(t *testing.T) {
	outer := t.TempDir()
	treetest.Write(t, outer, "secret.txt", "x\n")
	treetest.Write(t, outer, "ws/specs/plan.md", "one\ntwo")
	l := Looker{Root: filepath.Join(outer, "ws")}
	if f := l.Look("specs/plan.md"); !f.Exists || f.Folder || f.Lines() != 2 {
		t.Errorf("plan: %+v", f)
	}
	if f := l.Look("specs"); !f.Exists || !f.Folder {
		t.Errorf("folder: %+v", f)
	}
	if f := l.Look("gone.md"); f.Exists {
		t.Errorf("gone: %+v", f)
	}
	for _, out := range []string{"../secret.txt", "../nothing.txt", "/etc/passwd", "specs/../../secret.txt"} {
		if f := l.Look(out); !f.Exists || f.Lines != nil {
			t.Errorf("%s was looked at: %+v", out, f)
		}
	}
}
