package gitindex

import (
	"os"
	"path/filepath"
	"testing"

	"handoff/internal/testing/needs"
)

func TestAuthor(t *testing.T) {
	needs.Tool(t, "git")
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	for _, name := range []string{"sub/a.md", "sub/b.md", "sub/[a].md"} {
		if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git(t, dir, "add", "sub/a.md")
	git(t, dir, "-c", "user.name=Ada L", "-c", "user.email=a@b", "commit", "-qm", "one")
	git(t, dir, "add", "sub/b.md")
	git(t, dir, "-c", "user.name=Bob", "-c", "user.email=a@b", "commit", "-qm", "two")
	sub := filepath.Join(dir, "sub")
	for name, want := range map[string]string{"a.md": "Ada L", "b.md": "Bob", "[a].md": "", "c.md": ""} {
		if got, err := Author(t.Context(), sub, name); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
	if _, err := Author(t.Context(), t.TempDir(), "a.md"); err == nil {
		t.Error("there is no repository, and no error")
	}
}
