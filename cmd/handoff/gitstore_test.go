package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/needs"
)

// gitClones makes a bare repository with some tasks, each with a handoff, and clones of it
// whose store is that remote.
func gitClones(t *testing.T, tasks, clones int) (bare string, dirs []string) {
	t.Helper()
	needs.Tool(t, "git")
	top := t.TempDir()
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	bare = filepath.Join(top, "hub.git")
	git(top, "init", "--quiet", "--bare", bare)
	for i := range clones {
		dirs = append(dirs, filepath.Join(top, fmt.Sprint("clone", i)))
		git(top, "clone", "--quiet", bare, dirs[i])
		if i > 0 {
			continue
		}
		files := map[string]string{".handoff.yaml": "store: git:origin\n"}
		for n := range tasks {
			files[fmt.Sprintf("specs/%d_task/handoffs/phase-1-handoff-20260212T143022Z.md", n+1)] = "# Phase 1 Handoff\n\n## Immediate Next Action\n\nRun `go test`.\n"
		}
		for path, text := range files {
			path = filepath.Join(dirs[0], path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git(dirs[0], "add", ".")
		git(dirs[0], "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "tasks")
		git(dirs[0], "push", "--quiet", "origin", "HEAD")
	}
	trustRoots(t, dirs...)
	return bare, dirs
}

// TestGitStoreClaims: 8 processes in two clones claim the same handoffs. Each handoff has
// one winner, in both clones, and the next claim gets the next token.
func TestGitStoreClaims(t *testing.T) {
	const tasks, processes = 4, 8
	bin := commandDir(t)
	_, clones := gitClones(t, tasks, 2)
	for n := range tasks {
		ref := fmt.Sprintf("%d/1", n+1)
		won := make([]string, processes)
		var wg sync.WaitGroup
		for i := range processes {
			wg.Go(func() {
				cmd := programIn(t, bin, clones[i%2], "claim", ref, "--as", fmt.Sprint("agent", i))
				var talk strings.Builder
				cmd.Stderr = &talk
				out, err := cmd.Output()
				switch {
				case err == nil:
					won[i] = strings.TrimSpace(string(out))
				case !strings.Contains(talk.String(), "is held by agent"):
					t.Errorf("%s: process %d: %v\n%s", ref, i, err, talk.String())
				}
			})
		}
		wg.Wait()
		winner := -1
		for i, claim := range won {
			if claim == "" {
				continue
			}
			if winner >= 0 {
				t.Errorf("%s: processes %d and %d both claimed it", ref, winner, i)
			}
			winner = i
		}
		if winner < 0 {
			t.Fatalf("%s: nobody could claim it", ref)
		}
		for _, dir := range clones {
			if out, err := programIn(t, bin, dir, "receipts", ref).Output(); err != nil || !strings.Contains(string(out), fmt.Sprintf("claimed by agent%d ", winner)) {
				t.Errorf("%s: %s shows, %v\n%s", ref, dir, err, out)
			}
		}
		release := programIn(t, bin, clones[(winner+1)%2], "release", "--why", "test")
		release.Env = append(release.Env, "HANDOFF_CLAIM="+won[winner])
		if out, err := release.CombinedOutput(); err != nil {
			t.Fatalf("%s: release in the other clone: %v\n%s", ref, err, out)
		}
		if out, err := programIn(t, bin, clones[winner%2], "claim", ref, "--as", "next").CombinedOutput(); err != nil || !strings.Contains(string(out), "(token 2)") {
			t.Errorf("%s: the claim after the release: %v\n%s", ref, err, out)
		}
	}
}

// TestGitStoreKilled kills processes at random moments of a claim. Afterwards the
// handoff is claimed by the killed process or not at all, and both clones keep working.
func TestGitStoreKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes")
	}
	const kills = 12
	bin := commandDir(t)
	_, clones := gitClones(t, kills+1, 2)
	began := time.Now()
	if out, err := programIn(t, bin, clones[0], "claim", fmt.Sprintf("%d/1", kills+1), "--as", "first").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole := time.Since(began)
	killed := 0
	for n := range kills {
		ref := fmt.Sprintf("%d/1", n+1)
		cmd := programIn(t, bin, clones[0], "claim", ref, "--as", "victim")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(rand.N(whole))
		cmd.Process.Kill()
		if cmd.Wait() != nil {
			killed++
		}
		out, err := programIn(t, bin, clones[1], "claim", ref, "--as", "other").CombinedOutput()
		holder := "other"
		if err != nil {
			if holder = "victim"; !strings.Contains(string(out), "is held by victim") {
				t.Fatalf("%s: after the kill: %v\n%s", ref, err, out)
			}
		}
		for _, dir := range clones {
			if out, err := programIn(t, bin, dir, "receipts", ref).CombinedOutput(); err != nil || !strings.Contains(string(out), "claimed by "+holder+" ") {
				t.Errorf("%s: %s: want a claim of %s: %v\n%s", ref, dir, holder, err, out)
			}
		}
	}
	t.Logf("%d of %d processes were killed before they ended", killed, kills)
}

// TestGitStoreAway: without the remote nothing can be claimed, but fetched records can
// be read.
func TestGitStoreAway(t *testing.T) {
	bin := commandDir(t)
	bare, clones := gitClones(t, 1, 1)
	if out, err := programIn(t, bin, clones[0], "claim", "1/1", "--as", "ada").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Rename(bare, bare+".away"); err != nil {
		t.Fatal(err)
	}
	out, err := programIn(t, bin, clones[0], "claim", "1/1", "--as", "bob", "--force", "--why", "test").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "handoff: git:origin: the store cannot be reached") {
		t.Errorf("a claim without the remote: %v\n%s", err, out)
	}
	out, err = programIn(t, bin, clones[0], "receipts", "1/1").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "claimed by ada") || !strings.Contains(string(out), "may be out of date") || strings.Contains(string(out), "git:origin: git:origin") {
		t.Errorf("receipts without the remote: %v\n%s", err, out)
	}
}
