package check

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
)

// TestGone deletes and renames files before, with and after the commits of documents.
func TestGone(t *testing.T) {
	dir := t.TempDir()
	git := gitIn(t, dir)
	git("init", "-q")
	at := 1000000000
	commit := func() {
		t.Helper()
		at += 100
		t.Setenv("GIT_COMMITTER_DATE", fmt.Sprintf("@%d +0000", at))
		git("add", "-A")
		git("commit", "-q", "-m", "x")
	}
	remove := func(name string) {
		t.Helper()
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	move := func(from, to string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, to)), 0o755); err != nil {
			t.Fatal(err)
		}
		git("mv", from, to)
	}
	for _, name := range []string{"src/early.go", "src/with.go", "src/late.go", "src/open.go", "src/moved.go", "src/twice.go", "old/sub/a.go", "old/b.go", "lost/a.go"} {
		treetest.Write(t, dir, name, strings.Repeat(name+"\n", 9))
	}
	commit()
	remove("src/early.go")
	move("src/twice.go", "src/two.go")
	commit()
	treetest.Write(t, dir, "docs/edited.md", "as it was\n")
	treetest.Write(t, dir, "docs/h.md", strings.Repeat("handoff\n", 20))
	remove("src/with.go")
	commit()
	remove("src/late.go")
	remove("lost/a.go")
	move("src/moved.go", "lib/é moved.go")
	move("src/two.go", "lib/three.go")
	move("docs/h.md", "docs/old/h.md")
	commit()
	move("old", "new")
	remove("src/open.go")
	treetest.Write(t, dir, "docs/edited.md", "edited\n")
	treetest.Write(t, dir, "docs/added.md", "added\n")
	git("add", "docs/added.md")
	written := time.Unix(int64(at-50), 0)

	g, err := readGone(t.Context(), dir, func(name string) bool { return filepath.Ext(name) == ".md" })
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, of, to string
		ok           bool
	}{
		{"src/early.go", "docs/old/h.md", "", false},
		{"src/with.go", "docs/old/h.md", "", false},
		{"src/late.go", "docs/old/h.md", "", true},
		{"src/open.go", "docs/old/h.md", "", true},
		{"src/moved.go", "docs/old/h.md", "lib/é moved.go", true},
		{"src/twice.go", "docs/old/h.md", "lib/three.go", true},
		{"old/sub/a.go", "docs/old/h.md", "new/sub/a.go", true},
		{"old/sub", "docs/old/h.md", "new/sub", true},
		{"old", "docs/old/h.md", "new", true},
		{"lost", "docs/old/h.md", "", true},
		{"never.go", "docs/old/h.md", "", false},
		{"src/late.go", "untracked.md", "", true},
		{"src/with.go", "untracked.md", "", false},
		{"src/late.go", "docs/added.md", "", true},
		{"src/with.go", "docs/added.md", "", false},
		{"src/late.go", "docs/edited.md", "", false},
		{"src/moved.go", "docs/edited.md", "lib/é moved.go", true},
	} {
		if to, ok := g.since(c.name, c.of, written); to != c.to || ok != c.ok {
			t.Errorf("%s since %s: %q, %v, want %q, %v", c.name, c.of, to, ok, c.to, c.ok)
		}
	}
}

// TestGoneWithout reads folders without a repository, or without a commit.
func TestGoneWithout(t *testing.T) {
	dir := t.TempDir()
	git := gitIn(t, dir)
	all := func(string) bool { return true }
	if g, err := readGone(t.Context(), dir, all); err == nil {
		t.Errorf("without a repository: %v", g)
	}
	git("init", "-q")
	if g, err := readGone(t.Context(), dir, all); err == nil {
		t.Errorf("without a commit: %v", g)
	}
}

// gitIn runs git in a folder.
func gitIn(t *testing.T, dir string) func(args ...string) {
	needs.Tool(t, "git")
	for _, v := range []string{"HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(v, t.TempDir())
	}
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	return func(args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.email=a@example.org", "-c", "user.name=A"}, args...)...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}
