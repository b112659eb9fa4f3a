package gitindex

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
)

// TestHooks asks from the hooks of a commit and a merge: git runs one before the message, one
// after it.
func TestHooks(t *testing.T) {
	needs.Tool(t, "git")
	dir := repository(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tree, _ := OpenTree(dir)
	write(t, dir, "a", "1")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "x")
	git(t, dir, "checkout", "-qb", "topic")
	git(t, dir, "commit", "-qm", "topic", "--allow-empty")
	git(t, dir, "checkout", "-q", "-")
	for _, hook := range []string{"pre-commit", "pre-merge-commit", "commit-msg"} {
		script := "#!/bin/sh\nGITINDEX_TEST_HOOKS=" + dir + " exec " + self + " >../" + hook + ".out\n"
		if err := os.WriteFile(filepath.Join(dir, ".git/hooks", hook), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(hook, want string) {
		t.Helper()
		if got, err := os.ReadFile(filepath.Join(dir, "..", hook+".out")); err != nil || string(got) != want+"\n" {
			t.Errorf("in %s: %q, %v, want %q", hook, got, err, want)
		}
	}
	git(t, dir, "commit", "-qm", "x", "--allow-empty")
	expect("pre-commit", "git commit")
	expect("commit-msg", "")
	for range 5 { // right after one another
		git(t, dir, "commit", "-qm", "x", "--allow-empty")
		expect("pre-commit", "git commit")
	}
	git(t, dir, "merge", "-q", "--no-edit", "--no-ff", "topic")
	expect("pre-merge-commit", "git merge")
	expect("commit-msg", "")
	if got := tree.Hooks(); got != "" {
		t.Errorf("%s runs", got)
	}
}

// TestCalm looks at a repository in which nothing has happened for long, and then during the
// hook of a commit and a rebase.
func TestCalm(t *testing.T) {
	needs.Tool(t, "git")
	dir := repository(t)
	git(t, dir, "commit", "-qm", "x", "--allow-empty")
	git(t, dir, "commit", "-qm", "y", "--allow-empty")
	script := "#!/bin/sh\ntouch ../in\nwhile [ ! -e ../go ]; do sleep 0.01; done\n"
	if err := os.WriteFile(filepath.Join(dir, ".git/hooks/pre-commit"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	tree, _ := OpenTree(dir)
	calm := func() {
		t.Helper()
		long := time.Now().Add(-time.Hour)
		if err := os.Chtimes(tree.d.git, long, long); err != nil {
			t.Fatal(err)
		}
		if got := tree.Busy() + tree.Hooks(); got != "" {
			t.Fatalf("%s runs", got)
		}
		if got := tree.idle.unless(tree.d.git, func() string { return "looked" }) + tree.unhooked.unless(tree.d.git, func() string { return "looked" }); got != "" {
			t.Errorf("%s again, although nothing has happened", got)
		}
	}
	calm()
	done := make(chan struct{})
	go func() {
		defer close(done)
		tryGit(dir, "commit", "-qm", "z", "--allow-empty")
	}()
	waittest.Until(t, "the hook", func() bool { _, err := os.Stat(filepath.Join(dir, "../in")); return err == nil })
	if got := tree.Hooks(); got != "git commit" {
		t.Errorf("%q runs, want git commit", got)
	}
	write(t, filepath.Dir(dir), "go", "")
	<-done
	calm()
	tryGit(dir, "rebase", "-x", "false", "HEAD^")
	if got := tree.Busy(); got != "git rebase" {
		t.Errorf("%q runs, want git rebase", got)
	}
}

func TestCommandOf(t *testing.T) {
	for args, want := range map[string]string{
		"git -c a=b commit -m x":   "commit",
		"git -C x commit":          "commit",
		"/usr/bin/git merge topic": "merge",
		"git log --grep commit":    "",
		"git":                      "",
		"/venv/bin/python3 -mpre_commit hook-impl --config=x":    "pre-commit",
		"python -m pre_commit run":                               "pre-commit",
		"/venv/bin/python3 /venv/bin/pre-commit run --all-files": "pre-commit",
		"pre-commit run":                       "pre-commit",
		"python3 /venv/bin/pre-commit install": "",
		"python3 x.py run":                     "",
		"":                                     "",
	} {
		if got := commandOf(strings.Split(args, " ")); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}
