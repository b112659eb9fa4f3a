package main

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// asNobody is what makes a process one that may not write where this test may: another user, if that is root.
func asNobody() *syscall.SysProcAttr {
	if os.Geteuid() != 0 {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

// TestReadOnlyTree: a tree that may not be written is shown by serve, which refuses to write, and watch says what it
// cannot do.
func TestReadOnlyTree(t *testing.T) {
	dir, bin := callerTree(t), commandDir(t)
	for path, mode := range map[string]os.FileMode{filepath.Dir(dir): 0o755, dir: 0o555} { // the other user passes the first
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	env := callerEnv(bin, "HOME="+bin)
	t.Cleanup(func() { os.Chmod(dir, 0o755) })

	watch := exec.Command(filepath.Join(bin, "handoff"), "watch")
	watch.Dir, watch.Env, watch.SysProcAttr = dir, env, asNobody()
	if out, err := watch.CombinedOutput(); err == nil || !strings.Contains(string(out), "permission denied: watch keeps the metadata of tasks up to date, and nothing can be written here") {
		t.Errorf("watch: %v: %s", err, out)
	}

	address, talk := servedBy(t, dir, bin, env, asNobody())
	if !strings.Contains(talk, "read-only: ") {
		t.Errorf("serve does not say that it only reads: %s", talk)
	}
	for path, want := range map[string]int{"/": 200, "/overview": 200, "/handoffs": 200, "/threads": 200, "/tapes": 200, "/view/task?n=1": 200} {
		resp, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Body.Close(); resp.StatusCode != want {
			t.Errorf("%s answers %d, want %d", path, resp.StatusCode, want)
		}
	}
	for _, path := range []string{"/handoffs/1%2F1/claim", "/threads"} {
		resp, err := http.Post(address+path, "application/json", strings.NewReader(`{"as":"ann"}`))
		if err != nil {
			t.Fatal(err)
		}
		said, _ := io.ReadAll(resp.Body)
		if resp.Body.Close(); resp.StatusCode < 400 {
			t.Errorf("%s is written: %s", path, said)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v, %v: want specs alone", left, err)
	}
}
