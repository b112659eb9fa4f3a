package open

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/natstest"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
	"handoff/log/engine"
	"handoff/log/engine/enginetest"
)

func address(t *testing.T, text string) engine.Address {
	t.Helper()
	a, err := engine.ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestFiles: the files of a workspace pass the tests of engines, also where receipts are
// in the git folder.
func TestFiles(t *testing.T) {
	needs.Tool(t, "git")
	var root string
	enginetest.Run(t, func(t *testing.T) engine.Engine {
		root = t.TempDir()
		runGit(t, root, "init", "--quiet")
		e, err := Open(t.Context(), engine.Address{}, Options{Root: root})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}, enginetest.Supports{Blobs: true, Racers: 3, Rounds: 4, Another: func(t *testing.T, _ engine.Engine) engine.Engine {
		e, err := Files(Options{Root: root})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}})
}

func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestGit(t *testing.T) {
	needs.Tool(t, "git")
	root, remote := t.TempDir(), filepath.Join(t.TempDir(), "remote.git")
	origin := address(t, "git:origin")
	if _, err := Open(waittest.Context(t), origin, Options{Root: root}); err == nil || !strings.Contains(err.Error(), "git init") {
		t.Errorf("outside of a repository: %v", err)
	}
	runGit(t, root, "init", "--quiet")
	if _, err := Open(waittest.Context(t), origin, Options{Root: root}); err == nil || !strings.Contains(err.Error(), "git:origin") {
		t.Errorf("without a remote: %v", err)
	}
	runGit(t, root, "init", "--quiet", "--bare", remote)
	runGit(t, root, "remote", "add", "origin", remote)
	e, err := Open(waittest.Context(t), origin, Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.Append(waittest.Context(t), engine.Batch{Log: "receipts/k.jsonl", Records: [][]byte{[]byte("1")}}); err != nil || e.Name() != "git:origin" {
		t.Errorf("%s: %v", e.Name(), err)
	}
}

// TestNATS: a stream is created only for a caller that asks for it.
func TestNATS(t *testing.T) {
	server := natstest.Start(t, natstest.Options{Nodes: 1, Config: `authorization { token: "s3cret" }`}).Addresses()[0]
	a := address(t, server+"/STORE")
	env := map[string]string{"HANDOFF_STORE_TOKEN": "s3cret"}
	o := Options{Root: t.TempDir(), Env: func(name string) string { return env[name] }}
	if _, err := Open(waittest.Context(t), a, o); err == nil || !strings.Contains(err.Error(), "`handoff store copy files "+a.String()+"` creates it") {
		t.Errorf("a missing stream: %v", err)
	}
	o.Create = true
	e, err := Open(waittest.Context(t), a, o)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if e.Name() != a.String() {
		t.Errorf("its name is %s, want %s", e.Name(), a)
	}
	env["HANDOFF_STORE_TOKEN"] = "wrong"
	if _, err := Open(waittest.Context(t), a, o); err == nil {
		t.Error("it was opened with a wrong token")
	}
	if _, err := Open(waittest.Context(t), a, Options{Root: o.Root}); err == nil {
		t.Error("it was opened without a token")
	}
}
