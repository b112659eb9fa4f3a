package work

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/workspace"
	"handoff/workspace/config"
)

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@x"}, args...)...)
	c.Dir = dir
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out.String())
	}
	return strings.TrimSpace(out.String())
}

// clones are clones of one remote, whose store it is.
func clones(t *testing.T, n int) (list []*workspace.Workspace) {
	t.Helper()
	needs.Tool(t, "git")
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir := t.TempDir()
	git(t, dir, "init", "-q", "--bare", "-b", "main", "remote")
	git(t, dir, "clone", "-q", "remote", "first")
	first := filepath.Join(dir, "first")
	treetest.Write(t, first, "a.txt", "one\n")
	treetest.Write(t, first, ".handoff.yaml", "store: git:origin\n")
	git(t, first, "checkout", "-q", "-b", "main")
	git(t, first, "add", "-A")
	git(t, first, "commit", "-q", "-m", "one")
	git(t, first, "push", "-q", "origin", "main")
	for i := range n {
		name := fmt.Sprint("clone", i)
		git(t, dir, "clone", "-q", "remote", name)
		ws, err := workspace.Open(filepath.Join(dir, name), workspace.Options{Work: Edge(), Trust: func(string, config.Config) error { return nil }})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, ws)
	}
	return list
}

func keep(t *testing.T, ws *workspace.Workspace, of workspace.WorkOf) Kept {
	t.Helper()
	k, err := Keep(t.Context(), ws, Request{WorkOf: of})
	if err != nil || k.Ref == "" {
		t.Fatal(k, err)
	}
	return k
}

const token = "ghp_" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5"

// TestShare: work goes to the remote without the files that have a secret, and from there into
// other clones, which may have used the same number.
func TestShare(t *testing.T) {
	all := clones(t, 2)
	a, b := all[0], all[1]
	treetest.Write(t, a.Root, "a.txt", "changed\n")
	treetest.Write(t, a.Root, "new/b c.txt", "new\n")
	treetest.Write(t, a.Root, "settings", "token: "+token+"\n")
	git(t, a.Root, "add", "settings")
	handoff := "specs/5_x/handoffs/phase-1-handoff-20260212T143022Z.md"
	one := keep(t, a, workspace.WorkOf{Task: 5, Handoff: handoff, By: "new"})
	treetest.Write(t, b.Root, "other.txt", "of b\n")
	keep(t, b, workspace.WorkOf{Task: 5, By: "session-end"})
	sent, err := Send(t.Context(), a)
	if err != nil || len(sent) != 1 || fmt.Sprint(sent[0].Withheld) != "[settings]" {
		t.Fatalf("%+v, %v", sent, err)
	}
	if sent, err := Send(t.Context(), b); err != nil || len(sent) != 1 || sent[0].Name() != "work/5/2" {
		t.Errorf("the other clone, whose number is taken: %+v, %v", sent, err)
	}
	for _, ws := range all {
		if sent, err := Send(t.Context(), ws); err != nil || len(sent) > 0 {
			t.Errorf("sent again: %+v, %v", sent, err)
		}
	}
	remote := filepath.Join(filepath.Dir(a.Root), "remote")
	if out := git(t, remote, "rev-list", "--objects", "--no-object-names", "--all"); strings.Contains(out, strings.TrimSpace(git(t, a.Root, "rev-parse", one.Commit+":settings"))) {
		t.Error("the remote has the secret")
	}
	if n, err := Get(t.Context(), b); err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	if n, err := Get(t.Context(), a); err != nil || n != 1 { // that of b, and not its own without the secret
		t.Errorf("%d, %v", n, err)
	}
	k, err := Of(t.Context(), b, 5, handoff)
	if err != nil || len(k.Left) != 1 || k.Left[0].Path != "settings" {
		t.Fatalf("%+v, %v", k, err)
	}
	if err := os.Remove(filepath.Join(b.Root, "other.txt")); err != nil {
		t.Fatal(err)
	}
	p, err := PlanOf(t.Context(), b, k)
	if err != nil || p.Needs() != "" {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := p.Apply(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a.txt": "changed\n", "new/b c.txt": "new\n"} {
		if src, err := os.ReadFile(filepath.Join(b.Root, name)); err != nil || string(src) != want {
			t.Errorf("%s: %q, %v", name, src, err)
		}
	}
	if _, err := os.Stat(filepath.Join(b.Root, "settings")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the secret arrived: %v", err)
	}
}

// TestSecretInACommit: work on commits that are not pushed is not sent if they have a secret.
func TestSecretInACommit(t *testing.T) {
	ws := clones(t, 1)[0]
	treetest.Write(t, ws.Root, "settings", "token: "+token+"\n")
	git(t, ws.Root, "add", "-A")
	git(t, ws.Root, "commit", "-q", "-m", "oops")
	treetest.Write(t, ws.Root, "a.txt", "changed\n")
	keep(t, ws, workspace.WorkOf{Task: 5, By: "new"})
	if sent, err := Send(t.Context(), ws); err == nil || !strings.Contains(err.Error(), "a commit that is not pushed has a secret") || len(sent) > 0 {
		t.Errorf("%+v, %v", sent, err)
	}
	if out := git(t, ws.Root, "ls-remote", "origin", "refs/handoff/*"); out != "" {
		t.Error(out)
	}
}

// TestUntrusted: a repository that is not trusted makes nothing connect.
func TestUntrusted(t *testing.T) {
	ws := clones(t, 1)[0]
	treetest.Write(t, ws.Root, "a.txt", "changed\n")
	keep(t, ws, workspace.WorkOf{Task: 5, By: "new"})
	ws.Options.Trust = func(string, config.Config) error { return errors.New("not trusted") }
	if sent, err := Send(t.Context(), ws); err != nil || len(sent) > 0 {
		t.Errorf("%v, %v", sent, err)
	}
	if out := git(t, ws.Root, "ls-remote", "origin", "refs/handoff/*"); out != "" {
		t.Error(out)
	}
}

// TestTogether: many processes that keep the same work keep it once; those of different tasks
// and states get a number each.
func TestTogether(t *testing.T) {
	ws := clones(t, 1)[0]
	treetest.Write(t, ws.Root, "a.txt", "changed\n")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := Keep(context.Background(), ws, Request{WorkOf: workspace.WorkOf{Task: 5, By: "new", Handoff: "h"}}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list, err := List(t.Context(), ws, nil); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	for i := range 4 {
		all.Go(func() {
			if _, err := Keep(context.Background(), ws, Request{WorkOf: workspace.WorkOf{Task: 6 + i%2, By: "new", Handoff: "h"}}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list, err := List(t.Context(), ws, nil); err != nil || len(list) != 3 {
		t.Errorf("%+v, %v", list, err)
	}
}
