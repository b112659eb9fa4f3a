package gitindex

import (
	"os"
	"path/filepath"
	"testing"

	"handoff/internal/testing/needs"
)

// TestCommitting asks from the hooks of a commit: before the message git runs pre-commit,
// after it commit-msg.
func TestCommitting(t *testing.T) {
	needs.Tool(t, "git")
	dir := repository(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{"pre-commit", "commit-msg"} {
		script := "#!/bin/sh\nGITINDEX_TEST_COMMITTING=" + dir + " exec " + self + " >../" + hook + ".out\n"
		if err := os.WriteFile(filepath.Join(dir, ".git/hooks", hook), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	tree, _ := OpenTree(dir)
	write(t, dir, "a", "1")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "x")
	for hook, want := range map[string]string{"pre-commit": "true\n", "commit-msg": "false\n"} {
		if got, err := os.ReadFile(filepath.Join(dir, "..", hook+".out")); err != nil || string(got) != want {
			t.Errorf("in %s: %q, %v", hook, got, err)
		}
	}
	if tree.Committing() {
		t.Error("nobody commits")
	}
	for _, args := range [][]string{{"git", "-c", "a=b", "commit", "-m", "x"}, {"git", "-C", "x", "commit"}} {
		if !isCommit(args) {
			t.Errorf("%q is no commit", args)
		}
	}
	if isCommit([]string{"git", "log", "--grep", "commit"}) {
		t.Error("git log is a commit")
	}
}
