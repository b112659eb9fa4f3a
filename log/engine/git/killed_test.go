package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
	"handoff/log/engine"
	"handoff/log/engine/enginetest"
)

// changes are the calls with which git init changes the disk.
const changes = "mkdir,mkdirat,rename,renameat,renameat2,link,linkat,unlink,unlinkat,symlink,symlinkat,chmod,write"

// killAt makes git init be killed before its nth change of the disk.
func killAt(t *testing.T, n int) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\ncase \" $* \" in *' init '*) exec strace -f -qq -o /dev/null -e trace=%[1]s -e inject=%[1]s:signal=KILL:when=%[2]d %[3]s \"$@\";; esac\nexec %[3]s \"$@\"\n", changes, n, real)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// TestKilledInit kills the creation of the cache before each change of the disk. The next
// use completes it, whether the killed one was in its place, as older versions created it,
// or beside it.
func TestKilledInit(t *testing.T) {
	needs.Strace(t)
	_, clone := remote(t)
	dir := t.TempDir()
	path := os.Getenv("PATH")
	for n, killed := 1, true; killed; n++ {
		killAt(t, n)
		cache := filepath.Join(dir, fmt.Sprint("new", n))
		_, err := Open(waittest.Context(t), clone, "origin", nofollow.Root(dir), cache, Options{})
		killed = err != nil
		old := filepath.Join(dir, fmt.Sprint("old", n))
		if err := os.Mkdir(old, 0o700); err != nil {
			t.Fatal(err)
		}
		c := exec.Command("git", "init", "--quiet", "--bare", "--template=")
		c.Dir = old
		c.Run()
		t.Setenv("PATH", path)
		for _, cache := range []string{cache, old} {
			e, err := Open(waittest.Context(t), clone, "origin", nofollow.Root(dir), cache, Options{})
			if err == nil {
				_, err = e.run(waittest.Context(t), job{in: []byte("x"), args: []string{"hash-object", "-w", "--stdin"}})
			}
			if err != nil {
				t.Fatalf("%s, killed before change %d: %v", filepath.Base(cache), n, err)
			}
			if _, err := os.Stat(cache + ".new"); err == nil {
				t.Errorf("%s.new is left", cache)
			}
		}
		if t.Logf("killed before change %d: %v", n, killed); n == 1 && !killed {
			t.Fatal("git init was not killed: does strace still see what it does?")
		}
	}
}

// TestForeignRefs has refs that are not ours: they are reported at once, and the other
// logs can be read and written.
func TestForeignRefs(t *testing.T) {
	bare, clone := remote(t)
	e := open(t, clone)
	ctx, cancel := context.WithTimeout(waittest.Context(t), 25*time.Second) // git would be asked again until 30 s have passed
	defer cancel()
	add := func(n uint64) {
		t.Helper()
		if err := engine.Append(ctx, e, engine.Budget, engine.Batch{Log: "good.jsonl", Expected: n, Records: [][]byte{[]byte("x")}}); err != nil {
			t.Fatal(err)
		}
	}
	add(0)
	for name, file := range map[string]string{"empty.jsonl": "other", "torn.jsonl": "log"} {
		src := filepath.Join(t.TempDir(), "src")
		if err := os.WriteFile(src, []byte("no line end"), 0o644); err != nil {
			t.Fatal(err)
		}
		blob := line([]byte(git(t, bare, "hash-object", "-w", src)))
		git(t, bare, "--work-tree=.", "update-index", "--add", "--cacheinfo", "100644,"+blob+","+file)
		tree := line([]byte(git(t, bare, "write-tree")))
		git(t, bare, "--work-tree=.", "update-index", "--force-remove", file)
		git(t, bare, "update-ref", refOf(name), line([]byte(git(t, bare, "-c", "user.name=x", "-c", "user.email=x", "commit-tree", tree, "-m", "x"))))
	}
	names, foreign := enginetest.Listed(t, e)
	if !slices.Equal(names, []string{"good.jsonl"}) || !slices.Equal(foreign, []string{"empty.jsonl", "torn.jsonl"}) {
		t.Errorf("logs %v, foreign %v", names, foreign)
	}
	if _, err := e.Len(ctx, "empty.jsonl"); engine.Foreign(err) == nil {
		t.Error(err)
	}
	if err := e.Append(ctx, engine.Batch{Log: "empty.jsonl", Records: [][]byte{[]byte("x")}}); engine.Foreign(err) == nil {
		t.Error(err)
	}
	add(1)
}

// TestDamagedRef: one log whose objects are damaged at the remote is named, and the others
// can be read and written, also in a clone that has none of them.
func TestDamagedRef(t *testing.T) {
	bare, clone := remote(t)
	e := open(t, clone)
	ctx := waittest.Context(t)
	add := func(e *Engine, log string, n uint64) {
		t.Helper()
		if err := engine.Append(ctx, e, engine.Budget, engine.Batch{Log: log, Expected: n, Records: [][]byte{[]byte(log)}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, log := range []string{"a.jsonl", "b.jsonl", "c.jsonl"} {
		add(e, log, 0)
	}
	blob := line([]byte(git(t, bare, "rev-parse", refOf("b.jsonl")+":log")))
	if err := os.Remove(filepath.Join(bare, "objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time only the damaged one is missing
		other := open(t, clone)
		for range 2 {
			names, damaged := enginetest.Listed(t, other)
			if !slices.Equal(names, []string{"a.jsonl", "c.jsonl"}) || !slices.Equal(damaged, []string{"b.jsonl"}) {
				t.Fatalf("logs %v, damaged %v", names, damaged)
			}
		}
		if _, err := other.Len(ctx, "b.jsonl"); engine.Foreign(err) == nil || errors.Is(err, engine.ErrUnavailable) {
			t.Errorf("%v", err)
		}
	}
	add(open(t, clone), "c.jsonl", 1)
}
