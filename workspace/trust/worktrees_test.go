package trust

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/workspace/config"
)

// git runs git without the configuration of this machine, and of a hook that runs the tests.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v: %s", args, err, out)
	}
}

// repository is a working tree that acts, and a linked worktree of it.
func repository(t *testing.T) (main, linked string, c config.Config) {
	t.Helper()
	needs.Tool(t, "git")
	main = filepath.Join(real(t.TempDir()), "main")
	write(t, filepath.Join(main, ".handoff.yaml"), acting)
	write(t, filepath.Join(main, "sub", ".handoff.yaml"), acting)
	git(t, main, "init", "-q")
	git(t, main, "add", ".")
	git(t, main, "commit", "-q", "-m", "first")
	linked = filepath.Join(filepath.Dir(main), "linked")
	git(t, main, "worktree", "add", "-q", linked)
	return main, linked, parse(t, main, acting)
}

func trusts(t *testing.T, b *Book, root, src string) bool {
	t.Helper()
	return b.Check(root, parse(t, root, src)) == nil
}

// TestWorktrees: the worktrees of a repository are one decision, for the same folder in
// them and only as long as the same can act.
func TestWorktrees(t *testing.T) {
	main, linked, c := repository(t)
	b := Open(user(t))
	if trusts(t, b, linked, acting) {
		t.Fatal("trusted before anybody was asked")
	}
	if _, err := b.Trust(main, c, noon); err != nil {
		t.Fatal(err)
	}
	if s, err := b.Status(linked, c); err != nil || s.Trusted != Recorded || s.Record.Root != main {
		t.Errorf("another worktree: %+v, %v", s, err)
	}
	if trusts(t, b, filepath.Join(linked, "sub"), acting) {
		t.Error("another folder of the worktree is trusted")
	}
	if !trusts(t, b, linked, acting+"templates: other\n") || trusts(t, b, linked, "checks: {allow: [sh -c id]}\n") {
		t.Error("what can act in the other worktree does not decide")
	}
	// Each may be trusted with what it has, and keeps that.
	other := "checks: {allow: [other]}\n"
	if _, err := b.Trust(linked, parse(t, linked, other), noon); err != nil {
		t.Fatal(err)
	}
	if !trusts(t, b, linked, other) || !trusts(t, b, main, acting) || !trusts(t, b, linked, acting) {
		t.Error("one worktree has taken the trust of another")
	}
	// Trust stays with the repository when a worktree is gone, and is revoked for all of it.
	if err := os.RemoveAll(linked); err != nil {
		t.Fatal(err)
	}
	git(t, main, "worktree", "prune")
	again := filepath.Join(filepath.Dir(main), "again")
	git(t, main, "worktree", "add", "-q", "-b", "again", again)
	if !trusts(t, b, again, acting) || !trusts(t, b, again, other) {
		t.Error("a new worktree is asked again")
	}
	if found, err := b.Revoke(again); !found || err != nil {
		t.Errorf("revoke: %v, %v", found, err)
	}
	for _, root := range []string{main, again} {
		if trusts(t, b, root, acting) || trusts(t, b, root, other) {
			t.Errorf("%s is trusted after revoke", root)
		}
	}
}

// TestWorktreeOfAnotherUser: a worktree that another user has added is his.
func TestWorktreeOfAnotherUser(t *testing.T) {
	main, linked, c := repository(t)
	b := Open(user(t))
	if _, err := b.Trust(main, c, noon); err != nil {
		t.Fatal(err)
	}
	own := b.owner
	for _, strange := range []string{linked, filepath.Join(linked, config.File), filepath.Join(linked, "specs")} {
		b.owner = func(path string) (int, bool) {
			if path == strange {
				return 4711, true
			}
			return own(path)
		}
		if trusts(t, b, linked, acting) {
			t.Errorf("trusted with %s of another user", strange)
		}
	}
}

// TestBorrowed: a tree from elsewhere that says that it belongs to a trusted repository
// borrows nothing.
func TestBorrowed(t *testing.T) {
	main, linked, c := repository(t)
	b := Open(user(t))
	if _, err := b.Trust(main, c, noon); err != nil {
		t.Fatal(err)
	}
	if !trusts(t, b, linked, acting) {
		t.Fatal("a worktree is not trusted, so the test shows nothing")
	}
	dot := filepath.Join(main, ".git")
	made := map[string]string{"made/HEAD": "ref: refs/heads/main\n", "made/commondir": dot + "\n"}
	for name, files := range map[string]map[string]string{
		"the repository":           {".git": "gitdir: " + dot + "\n"},
		"a worktree of it":         {".git": "gitdir: " + filepath.Join(dot, "worktrees", "linked") + "\n"},
		"a folder of the tree":     {".git": "gitdir: made\n", "made/gitdir": "ROOT/.git\n"},
		"a folder named worktrees": {".git": "gitdir: worktrees/made\n", "worktrees/made/HEAD": "ref: x\n", "worktrees/made/commondir": dot + "\n", "worktrees/made/gitdir": "ROOT/.git\n"},
		"a folder .git":            {".git/HEAD": "ref: x\n", ".git/commondir": dot + "\n"},
		"a link":                   {},
	} {
		root := filepath.Join(real(t.TempDir()), "evil")
		for path, text := range files {
			if text = filepath.FromSlash(text); len(text) > 4 && text[:4] == "ROOT" {
				text = root + text[4:]
			}
			write(t, filepath.Join(root, path), text)
		}
		for path, text := range made {
			write(t, filepath.Join(root, path), text)
		}
		if name == "a link" {
			needs.Symlink(t, dot, filepath.Join(root, ".git"))
		}
		if trusts(t, b, root, acting) {
			t.Errorf("%s: trusted", name)
		}
	}
	// A copy of a worktree names the folder of the original, which does not point to the copy.
	copied := filepath.Join(filepath.Dir(main), "copied")
	if err := os.CopyFS(copied, os.DirFS(linked)); err != nil {
		t.Fatal(err)
	}
	if trusts(t, b, copied, acting) {
		t.Error("a copy of a worktree: trusted")
	}
}
