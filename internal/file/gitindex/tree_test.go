package gitindex

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// brought asks about a file of a tree.
func brought(t *testing.T, dir, name string, since time.Time) bool {
	t.Helper()
	tree, ok := OpenTree(dir)
	if !ok {
		t.Fatal("no repository")
	}
	src, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	index, err := tree.Tracked(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	id := index.ID(name, src)
	return id != "" && tree.Brought(context.Background(), name, id, st.ModTime(), since)
}

// TestBrought has a program and git write a file within a second, in the ways in which both
// do.
func TestBrought(t *testing.T) {
	dir := repository(t)
	began := time.Now().Add(-time.Second)
	ask := func(what, name string, want bool) {
		t.Helper()
		if got := brought(t, dir, name, began); got != want {
			t.Errorf("%s: brought by git: %v", what, got)
		}
	}
	write(t, dir, "base", "0")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "base")
	write(t, dir, "a", "1")
	ask("written", "a", false)
	git(t, dir, "add", "-A")
	ask("added", "a", false)
	git(t, dir, "commit", "-qm", "a")
	ask("committed", "a", false)
	git(t, dir, "checkout", "-q", "-b", "other", "HEAD^")
	git(t, dir, "checkout", "-q", "main")
	late := time.Now().Add(time.Hour)
	if !brought(t, dir, "a", late) {
		t.Error("checked out: not brought by git")
	}
	ask("checked out again, but committed here since the last look", "a", false)

	write(t, dir, "b", "2")
	git(t, dir, "add", "b")
	git(t, dir, "stash", "-q")
	git(t, dir, "stash", "pop", "-q", "--index")
	ask("out of the stash", "b", true)
	write(t, dir, "copy/b", "2")
	ask("the same words elsewhere", "copy/b", false)
	git(t, dir, "add", "copy/b")
	ask("added, when git had these words before", "copy/b", false)
	write(t, dir, "b", "3")
	ask("edited", "b", false)

	write(t, dir, "c", "one\r\ntwo\r\n")
	git(t, dir, "-c", "core.autocrlf=true", "add", "c")
	ask("added with other line ends", "c", false)
	git(t, dir, "-c", "core.autocrlf=true", "commit", "-qm", "c")
	os.Remove(filepath.Join(dir, "c"))
	git(t, dir, "-c", "core.autocrlf=true", "checkout", "-q", "c")
	if !brought(t, dir, "c", late) {
		t.Error("checked out with other line ends: not brought by git")
	}
}

// TestBroughtByPull pulls what somebody else wrote, loose and in a pack, and packs what was
// written here.
func TestBroughtByPull(t *testing.T) {
	dir := repository(t)
	write(t, dir, "base", "0")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "base")
	mate := filepath.Join(filepath.Dir(dir), "mate")
	git(t, filepath.Dir(dir), "clone", "-q", dir, mate)
	git(t, mate, "config", "user.email", "b@example.org")
	git(t, mate, "config", "user.name", "B")
	began := time.Now().Add(-time.Second)
	for _, name := range []string{"loose", "packed"} {
		write(t, mate, name, name)
		git(t, mate, "add", "-A")
		git(t, mate, "commit", "-qm", name)
		unpack := map[string]string{"loose": "1000", "packed": "1"}[name]
		git(t, dir, "-c", "fetch.unpackLimit="+unpack, "-c", "transfer.unpackLimit="+unpack, "pull", "-q", mate, "main")
		if !brought(t, dir, name, began) {
			t.Errorf("%s: pulled, and not brought by git", name)
		}
	}
	write(t, dir, "own", "own")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "own")
	git(t, dir, "gc", "-q")
	if brought(t, dir, "own", began) {
		t.Error("committed here and packed: brought by git")
	}
	if !brought(t, dir, "packed", began) {
		t.Error("pulled, and contained in a commit that was made here: not brought by git")
	}
}

// TestTracked compares files with the index, in all its versions and in both kinds of hash.
func TestTracked(t *testing.T) {
	for _, format := range [][]string{{"-c", "index.version=2"}, {"-c", "index.version=4"}, {"-c", "index.skipHash=true"}, {"split"}, {"sha256"}} {
		dir := repository(t)
		options := format
		switch format[0] {
		case "sha256":
			os.RemoveAll(filepath.Join(dir, ".git"))
			git(t, dir, "init", "-q", "-b", "main", "--object-format=sha256", ".")
			options = nil
		case "split":
			options = []string{"-c", "core.splitIndex=true"}
		}
		for _, name := range []string{"specs/a", "specs/a b", "specs/sub/é", "other"} {
			write(t, dir, name, "in "+name)
		}
		git(t, dir, append(append([]string{}, options...), "add", "-A")...)
		write(t, dir, "specs/new", "x")
		write(t, dir, "specs/a", "changed")
		git(t, dir, append(append([]string{}, options...), "add", "-N", "specs/new")...)
		write(t, dir, "specs/untracked", "x")
		tree, _ := OpenTree(dir)
		x, err := tree.Tracked(t.Context(), filepath.Join(dir, "specs"))
		if err != nil {
			t.Fatal(format, err)
		}
		for name, want := range map[string][2]bool{"a": {true, false}, "a b": {true, true}, "sub/é": {true, true}, "untracked": {}, "other": {}} {
			src, _ := os.ReadFile(filepath.Join(dir, "specs", name))
			if got := [2]bool{x.Has(name), x.Same(name, src)}; got != want {
				t.Errorf("%v: %s: tracked, same: %v", format, name, got)
			}
		}
		if names := x.In("sub"); len(names) != 1 || names[0] != "é" {
			t.Errorf("%v: below sub: %q", format, names)
		}
	}
}

// TestTrackedConflict: a file with a conflict has no content that anybody chose.
func TestTrackedConflict(t *testing.T) {
	dir := repository(t)
	commit := func(text string) {
		write(t, dir, "a", text)
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-qm", text)
	}
	commit("0")
	git(t, dir, "checkout", "-q", "-b", "other")
	commit("1")
	git(t, dir, "checkout", "-q", "main")
	commit("2")
	tryGit(dir, "merge", "-q", "other")
	tree, _ := OpenTree(dir)
	if x, err := tree.Tracked(t.Context(), dir); err != nil || x.Has("a") {
		t.Errorf("tracked, %v", err)
	}
	if busy := tree.Busy(); busy != "" {
		t.Errorf("a merge that waits for a person is %q", busy)
	}
}

// TestBusy looks during a rebase and a bisect that stopped, and while a command holds the
// index, also in a linked working tree.
func TestBusy(t *testing.T) {
	dir := repository(t)
	for _, text := range []string{"0", "1", "2"} {
		write(t, dir, "a", text)
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-qm", text)
	}
	linked := filepath.Join(filepath.Dir(dir), "linked")
	git(t, dir, "worktree", "add", "-q", linked)
	for _, at := range []string{dir, linked} {
		tree, _ := OpenTree(at)
		look := func(want string) {
			t.Helper()
			if busy := tree.Busy(); busy != want {
				t.Errorf("busy with %q, want %q", busy, want)
			}
		}
		look("")
		tryGit(at, "rebase", "-x", "false", "HEAD^")
		look("git rebase")
		git(t, at, "rebase", "--abort")
		git(t, at, "bisect", "start")
		look("git bisect")
		git(t, at, "bisect", "reset")
		look("")
		lock := filepath.Join(tree.d.git, "index.lock")
		if err := os.WriteFile(lock, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		look("a git command")
		long := time.Now().Add(-time.Hour)
		os.Chtimes(lock, long, long)
		look("") // of a git that was killed
		os.Remove(lock)
	}
}

// tryGit runs a git command that may fail.
func tryGit(dir string, args ...string) {
	c := exec.Command("git", args...)
	c.Dir = dir
	_ = c.Run()
}
