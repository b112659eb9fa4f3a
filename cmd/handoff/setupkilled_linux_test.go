package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/file/atomicfile"
	"handoff/internal/testing/needs"
)

// TestSetupKilled kills setup at each of its renames, in a project and for a user: what it
// leaves is not in the project's root, and the next setup removes it.
func TestSetupKilled(t *testing.T) {
	needs.Strace(t)
	t.Parallel()
	for _, args := range []string{"setup claude", "setup claude --remove", "setup claude --user"} {
		left := 0
		for n := 1; n <= 8; n++ {
			dir := t.TempDir()
			home := filepath.Join(dir, "home")
			writeFile(t, dir, "home/x", "")
			writeFile(t, dir, "work/AGENTS.md", "# Mine\n")
			writeFile(t, dir, "work/.git/HEAD", "ref: refs/heads/main\n")
			run := func(wrap []string, args string) ([]byte, error) {
				cmd := exec.Command("sh", "-c", strings.Join(append(wrap, "handoff"), " ")+" "+args)
				cmd.Dir, cmd.Env = filepath.Join(dir, "work"), append(os.Environ(), "HOME="+home, "CLAUDE_CONFIG_DIR=")
				return cmd.CombinedOutput()
			}
			if strings.Contains(args, "--remove") {
				if out, err := run(nil, "setup claude"); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				if err := os.RemoveAll(filepath.Join(dir, "work/.handoff")); err != nil {
					t.Fatal(err)
				}
			}
			_, err := run([]string{"strace", "-f", "-qq", "-o", filepath.Join(dir, "trace"), "-e", "trace=linkat,renameat,renameat2",
				"-e", fmt.Sprintf("inject=linkat,renameat,renameat2:signal=KILL:when=%d", n)}, args)
			if err == nil {
				break // it needs fewer
			}
			left += len(temporary(t, dir))
			for _, path := range temporary(t, dir) {
				if filepath.Dir(path) == filepath.Join(dir, "work") {
					t.Errorf("%s, killed at %d: %s is in the project's root", args, n, path)
				}
			}
			if out, err := run(nil, args); err != nil {
				t.Fatalf("%s, again: %v\n%s", args, err, out)
			}
			if paths := temporary(t, dir); len(paths) > 0 {
				t.Errorf("%s, killed at %d: left for ever: %q", args, n, paths)
			}
		}
		if left == 0 {
			t.Errorf("%s: no kill left a file", args)
		}
	}
}

// temporary are the temporary files below a folder.
func temporary(t *testing.T, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && atomicfile.IsTemp(d.Name()) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
