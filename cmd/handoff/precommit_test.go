package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"handoff/internal/testing/needs"
)

// git runs git in a folder, with a name for commits and without the configuration of
// the machine.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", slices.Concat([]string{"-c", "user.name=test", "-c", "user.email=test@example.org"}, args)...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// hooksRepository is a repository with the present files of this one: pre-commit clones
// it and builds the command.
func hooksRepository(t *testing.T) (dir, commit string) {
	t.Helper()
	dir = t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q")
	git(t, root, "--git-dir", filepath.Join(dir, ".git"), "--work-tree", root, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "all")
	return dir, git(t, dir, "rev-parse", "HEAD")
}

// preCommit is a repository with handoffs that uses one hook of another repository.
type preCommit struct {
	dir, home, bin string // bin: a folder with handoff, for the hook that runs the installed one
}

// run stages all files and runs the hook.
func (p preCommit) run(t *testing.T) (out string, code int) {
	t.Helper()
	git(t, p.dir, "add", "-A")
	cmd := exec.Command(filepath.Join(os.Getenv("HANDOFF_PRE_COMMIT"), "pre-commit"), "run", "--all-files", "--verbose")
	cmd.Dir = p.dir
	modules, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	// pre-commit moves GOPATH, and with it the modules, which need no network where they are.
	// -trimpath: the packages of each clone would be compiled again, and fill the cache.
	cmd.Env = append(cmd.Environ(), "PRE_COMMIT_HOME="+p.home, "GOMODCACHE="+strings.TrimSpace(string(modules)), "GOPROXY=off", "GOFLAGS=-trimpath",
		"PATH="+p.bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	src, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(src), cmd.ProcessState.ExitCode()
}

// TestPreCommit runs each hook of .pre-commit-hooks.yaml by pre-commit itself: good
// handoffs pass, bad ones do not.
func TestPreCommit(t *testing.T) {
	needs.Folder(t, "HANDOFF_PRE_COMMIT")
	needs.Tool(t, "git")
	var hooks []struct{ ID string }
	if src, err := os.ReadFile("../../.pre-commit-hooks.yaml"); err != nil || yaml.Unmarshal(src, &hooks) != nil || len(hooks) < 3 {
		t.Fatalf("%d hooks, %v", len(hooks), err)
	}
	repository, commit := hooksRepository(t)
	p := preCommit{home: t.TempDir(), bin: commandDir(t)} // the home is shared: pre-commit builds once
	for _, hook := range hooks {
		t.Run(hook.ID, func(t *testing.T) {
			p.dir = t.TempDir()
			git(t, p.dir, "init", "-q")
			writeFile(t, p.dir, "README.md", "# Project\n\n- [ ] not a handoff\n")
			writeFile(t, p.dir, ".pre-commit-config.yaml", "repos:\n  - repo: "+repository+"\n    rev: "+commit+"\n    hooks:\n      - id: "+hook.ID+"\n")
			writeFile(t, p.dir, "values.yaml", raceValues)
			stdoutOf(t, p.bin, p.dir, "init")
			document := strings.TrimSpace(stdoutOf(t, p.bin, p.dir, "new", "--task", "1", "--slug", "first", "--phase", "1", "--from", "values.yaml"))
			if out, code := p.run(t); code != 0 || !strings.Contains(out, "Passed") {
				t.Errorf("a good handoff: exit status %d\n%s", code, out)
			}
			src, err := os.ReadFile(filepath.Join(p.dir, document))
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, p.dir, document, strings.Replace(string(src), "## Current State", "## Now", 1))
			writeFile(t, p.dir, "specs/1_first/.return-meta.json", "{")
			out, code := p.run(t)
			if code != 1 || !strings.Contains(out, "Failed") || !strings.Contains(out, "specs/1_first/") || strings.Contains(out, "README.md:") {
				t.Errorf("a bad handoff: exit status %d\n%s", code, out)
			}
		})
	}
}
