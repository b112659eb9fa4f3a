package receipt

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// git runs git without the configuration of this machine.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	for i, v := range cmd.Env { // of a hook that runs the tests
		if strings.HasPrefix(v, "GIT_DIR=") || strings.HasPrefix(v, "GIT_INDEX_FILE=") || strings.HasPrefix(v, "GIT_WORK_TREE=") {
			cmd.Env[i] = "HANDOFF_TEST_NOTHING="
		}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v: %s", args, err, out)
	}
}

func realTemp(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func locate(t *testing.T, root string) Place {
	t.Helper()
	p, err := Locate(root)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// worktrees makes a repository with linked worktrees, and returns all of their
// folders.
func worktrees(t *testing.T, n int) []string {
	t.Helper()
	needs.Tool(t, "git")
	base := realTemp(t)
	main := filepath.Join(base, "main")
	git(t, base, "init", "-q", main)
	git(t, main, "commit", "-q", "--allow-empty", "-m", "first")
	all := []string{main}
	for len(all) < n {
		tree := filepath.Join(base, "tree"+string(rune('0'+len(all))))
		git(t, main, "worktree", "add", "-q", tree)
		all = append(all, tree)
	}
	return all
}

// TestPlaceOfWorktrees: a handoff has the same file, from all worktrees of a
// repository and for a workspace below their top.
func TestPlaceOfWorktrees(t *testing.T) {
	trees := worktrees(t, 3)
	want := filepath.Join(trees[0], ".git", "handoff", "receipts")
	for _, tree := range trees {
		sub := filepath.Join(tree, "sub", "proj")
		if err := os.MkdirAll(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		if p := locate(t, tree); p.Dir != want || p.Path("specs/x") != "specs/x" {
			t.Errorf("%s: %+v, want %s", tree, p, want)
		}
		p := locate(t, sub)
		if p.Dir != want || p.Path("specs/x") != "sub/proj/specs/x" {
			t.Errorf("%s: %+v", sub, p)
		}
		if in, ok := p.InWorkspace("sub/proj/specs/x"); in != "specs/x" || !ok {
			t.Errorf("%s %v", in, ok)
		}
		if _, ok := p.InWorkspace("specs/x"); ok {
			t.Error("the path of another workspace")
		}
	}
}

// TestPlaceWithoutRepository is the workspace's own folder.
func TestPlaceWithoutRepository(t *testing.T) {
	root := realTemp(t)
	if err := os.Mkdir(filepath.Join(root, ".git"), 0o755); err != nil { // empty: git ignores it, too
		t.Fatal(err)
	}
	if p := locate(t, root); p.Dir != filepath.Join(root, ".handoff", "receipts") || string(p.Root) != root {
		t.Errorf("%+v", p)
	}
}

// TestPlaceOfSubmodule is the git folder of the submodule.
func TestPlaceOfSubmodule(t *testing.T) {
	trees := worktrees(t, 1)
	base := filepath.Dir(trees[0])
	git(t, base, "init", "-q", "part")
	git(t, filepath.Join(base, "part"), "commit", "-q", "--allow-empty", "-m", "first")
	git(t, trees[0], "submodule", "--quiet", "add", filepath.Join(base, "part"), "part")
	want := filepath.Join(trees[0], ".git", "modules", "part", "handoff", "receipts")
	if p := locate(t, filepath.Join(trees[0], "part")); p.Dir != want {
		t.Errorf("%s, want %s", p.Dir, want)
	}
}

// TestHostileGitFiles: a tree that was unpacked may name any folder. Nothing is
// written there.
func TestHostileGitFiles(t *testing.T) {
	trees := worktrees(t, 2)
	victim := filepath.Join(trees[0], ".git")
	elsewhere := realTemp(t)
	git(t, elsewhere, "init", "-q", "--separate-git-dir", filepath.Join(elsewhere, "real"), filepath.Join(elsewhere, "tree"))
	for text, want := range map[string]string{
		"gitdir: " + victim + "\n":                                   "does not point back (`git config core.worktree",
		"gitdir: " + filepath.Join(victim, "worktrees/tree1") + "\n": "does not point back (`git worktree repair`",
		"gitdir: /nowhere\n":                                         "does not point back",
		"gitdir: " + filepath.Join(elsewhere, "real") + "\n":         "does not point back",
	} {
		root := realTemp(t)
		if err := os.WriteFile(filepath.Join(root, ".git"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if p, err := Locate(root); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want %q", text, p, err, want)
		}
	}
	// A folder that the tree brings points back, and names the common folder of another.
	forged := realTemp(t)
	for name, text := range map[string]string{".git": "gitdir: made", "made/HEAD": "ref: refs/heads/main", "made/gitdir": filepath.Join(forged, ".git"), "made/commondir": victim} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(forged, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(forged, name), []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if p, err := Locate(forged); err == nil || !strings.Contains(err.Error(), "is not one of the worktrees of "+victim) {
		t.Errorf("a folder in the tree: %+v, %v", p, err)
	}
	root := realTemp(t)
	needs.Symlink(t, victim, filepath.Join(root, ".git"))
	if p, err := Locate(root); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("a link: %+v, %v", p, err)
	}
	// The command in the error makes the folder point back.
	tree := filepath.Join(elsewhere, "tree")
	if _, err := Locate(tree); err == nil {
		t.Error("a separate git folder that does not point back")
	}
	git(t, tree, "config", "core.worktree", tree)
	if p := locate(t, tree); p.Dir != filepath.Join(elsewhere, "real", "handoff", "receipts") {
		t.Errorf("%+v", p)
	}
}
