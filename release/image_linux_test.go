package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// runAlone runs the program of a layer with that layer as its root: no shell, no C library, no git.
func runAlone(t *testing.T, layer []byte, entry string) {
	if os.Geteuid() != 0 {
		t.Log("only root may change the root folder")
		return
	}
	file := filepath.Join(t.TempDir(), "layer.tar.gz")
	if err := os.WriteFile(file, layer, 0o600); err != nil {
		t.Fatal(err)
	}
	root := unpacked(t, file)
	for _, args := range [][]string{{"--version"}, {"demo", "--write"}} {
		cmd := exec.Command(entry, args...)
		cmd.Path, cmd.Dir, cmd.Err = entry, "/work", nil
		cmd.Env = []string{"PATH=/", "HOME=/tmp"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "handoff") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}
