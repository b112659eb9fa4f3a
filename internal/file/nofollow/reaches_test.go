package nofollow_test

import (
	"os"
	"path/filepath"
	"testing"

	"handoff/internal/file/nofollow"
	"handoff/internal/testing/needs"
)

func TestReaches(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "sub/deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, elsewhere, filepath.Join(dir, "out"))
	needs.Symlink(t, "sub", filepath.Join(dir, "in"))
	needs.Symlink(t, "sub/deep", filepath.Join(dir, "down"))
	needs.Symlink(t, filepath.Join(elsewhere, "none"), filepath.Join(dir, "nowhere"))
	for path, want := range map[string]string{
		"a": "a", "sub/new/a": "sub/new/a", "in/a": "sub/a", ".": ".", "sub/..": ".", filepath.Join(dir, "b"): "b",
		"../a": "", "sub/../../a": "", "/etc/passwd": "", "out": "", "out/a": "", "nowhere": "", "nowhere/a": "", "down/../a": "a", "down/../../../a": "", "down/../../a": "", "out/../a": "", dir + "/out/../a": "", elsewhere: "",
	} {
		if rel, ok := nofollow.Reaches(dir, path); ok != (want != "") || ok && rel != want {
			t.Errorf("%s: %q, %v, want %q", path, rel, ok, want)
		}
	}
}
