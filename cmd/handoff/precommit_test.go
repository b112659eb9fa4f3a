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
	return p.exec(t, p.dir, filepath.Join(os.Getenv("HANDOFF_PRE_COMMIT"), "pre-commit"), "run", "--all-files", "--verbose")
}

// exec runs a program that runs pre-commit, in a folder.
func (p preCommit) exec(t *testing.T, dir, program string, args ...string) (out string, code int) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	modules, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	// pre-commit moves GOPATH, and with it the modules, which need no network where they are.
	// -trimpath: the packages of each clone would be compiled again, and fill the cache.
	cmd.Env = append(cmd.Environ(), "PRE_COMMIT_HOME="+p.home, "GOMODCACHE="+strings.TrimSpace(string(modules)), "GOPROXY=off", "GOFLAGS=-trimpath",
		"PATH="+p.bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@example.org", "GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@example.org")
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
	if src, err := os.ReadFile("../../.pre-commit-hooks.yaml"); err != nil || yaml.Unmarshal(src, &hooks) != nil || len(hooks) != 4 {
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

// committing is a repository whose commits pre-commit checks with the installed handoff.
type committing struct {
	*testing.T
	preCommit
	document, metadata string // of task 1, from dir
}

// newCommitting installs the hooks. The first commit has task 1.
func newCommitting(t *testing.T, p preCommit, repository, commit string) *committing {
	p.dir = t.TempDir()
	c := &committing{T: t, preCommit: p, metadata: "specs/1_first/.return-meta.json"}
	git(t, p.dir, "init", "-q", "-b", "main")
	c.config(repository, commit)
	writeFile(t, p.dir, "values.yaml", raceValues)
	c.install()
	stdoutOf(t, p.bin, p.dir, "init")
	c.document = strings.TrimSpace(stdoutOf(t, p.bin, p.dir, "new", "--task", "1", "--slug", "first", "--phase", "1", "--from", "values.yaml"))
	git(t, p.dir, "add", "-A")
	c.commits(true, "")
	return c
}

// config writes the configuration of pre-commit; without a repository, as `handoff init`
// does.
func (c *committing) config(repository, commit string) {
	c.Helper()
	if repository == "" {
		writeFile(c.T, c.dir, ".pre-commit-config.yaml", "repos:\n  - repo: local\n    hooks:\n      - {id: x, name: x, entry: 'true', language: system, files: none}\n")
		stdoutOf(c.T, c.bin, c.dir, "init", "--git-hook")
		return
	}
	writeFile(c.T, c.dir, ".pre-commit-config.yaml", "repos:\n  - repo: "+repository+"\n    rev: "+commit+"\n    hooks:\n      - id: handoff-lint-system\n      - id: handoff-meta-system\n")
}

// install has git run pre-commit, and removes all other hooks.
func (c *committing) install() {
	c.Helper()
	if out, code := c.exec(c.T, c.dir, filepath.Join(os.Getenv("HANDOFF_PRE_COMMIT"), "pre-commit"), "install", "-f", "-t", "pre-commit", "-t", "pre-merge-commit"); code != 0 {
		c.Fatal(out)
	}
}

// commits commits what is staged, in a folder of the repository; it passes or is refused.
func (c *committing) commits(passes bool, want string) {
	c.Helper()
	out, code := c.exec(c.T, c.dir, "git", "commit", "-m", "x")
	if (code == 0) != passes || !strings.Contains(out, want) {
		c.Errorf("exit status %d, want %q\n%s", code, want, out)
	}
	if code != 0 {
		git(c.T, c.dir, "reset", "-q", "--hard")
	}
}

// replace changes a file of the working tree.
func (c *committing) replace(name, old, by string) {
	c.Helper()
	src, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil || !strings.Contains(string(src), old) {
		c.Fatalf("%s: %v: want %q", src, err, old)
	}
	writeFile(c.T, c.dir, name, strings.Replace(string(src), old, by, 1))
}

// TestPreCommitCommits makes commits and merges with pre-commit's own git hooks.
func TestPreCommitCommits(t *testing.T) {
	needs.Folder(t, "HANDOFF_PRE_COMMIT")
	needs.Tool(t, "git")
	repository, commit := hooksRepository(t)
	p := preCommit{home: t.TempDir(), bin: commandDir(t)}
	for name, steps := range map[string]func(c *committing){
		"nothing of ours": func(c *committing) {
			writeFile(c.T, c.dir, "README.md", "x")
			git(c.T, c.dir, "add", "README.md")
			c.commits(true, "Passed")
		},
		"a bad document": func(c *committing) {
			c.replace(c.document, "## Current State", "## Now")
			git(c.T, c.dir, "add", "-A")
			c.commits(false, "(missing-section)")
		},
		"staged good, bad in the working tree": func(c *committing) {
			c.replace(c.metadata, "\"partial\"", "\"partial\"  ")
			git(c.T, c.dir, "add", "-A")
			writeFile(c.T, c.dir, c.metadata, "{")
			c.commits(true, "Passed")
		},
		"staged bad, good in the working tree": func(c *committing) {
			good, _ := os.ReadFile(filepath.Join(c.dir, c.metadata))
			writeFile(c.T, c.dir, c.metadata, "{")
			git(c.T, c.dir, "add", "-A")
			writeFile(c.T, c.dir, c.metadata, string(good))
			c.commits(false, "(unparsable-file)")
		},
		"deleted": func(c *committing) {
			git(c.T, c.dir, "rm", "-q", c.document)
			c.commits(false, "handoff_path is deleted by this commit: "+c.document)
			git(c.T, c.dir, "rm", "-q", c.document)
			writeFile(c.T, c.dir, c.metadata, `{"status": "partial"}`)
			git(c.T, c.dir, "add", "-A")
			c.commits(true, "Passed")
		},
		"renamed": func(c *committing) {
			git(c.T, c.dir, "mv", "specs/1_first", "specs/1_other")
			c.commits(false, "handoff_path is deleted by this commit: "+c.document)
		},
		"merged": func(c *committing) {
			git(c.T, c.dir, "checkout", "-q", "-b", "topic")
			git(c.T, c.dir, "rm", "-q", c.document)
			git(c.T, c.dir, "commit", "-q", "--no-verify", "-m", "x")
			git(c.T, c.dir, "checkout", "-q", "main")
			writeFile(c.T, c.dir, "README.md", "x")
			git(c.T, c.dir, "add", "README.md")
			c.commits(true, "")
			out, code := c.exec(c.T, c.dir, "git", "merge", "--no-edit", "topic")
			if code == 0 || !strings.Contains(out, "handoff_path is deleted by this commit: "+c.document) {
				c.Errorf("exit status %d\n%s", code, out)
			}
		},
		"linked working tree": func(c *committing) {
			linked := filepath.Join(c.TempDir(), "linked")
			git(c.T, c.dir, "worktree", "add", "-q", linked)
			c.dir = linked
			git(c.T, c.dir, "rm", "-q", c.document)
			c.commits(false, "handoff_path is deleted by this commit: "+c.document)
		},
		"submodule": func(c *committing) {
			outer := c.TempDir()
			git(c.T, outer, "init", "-q")
			git(c.T, outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", c.dir, "sub")
			c.dir = filepath.Join(outer, "sub")
			if out, code := c.exec(c.T, c.dir, filepath.Join(os.Getenv("HANDOFF_PRE_COMMIT"), "pre-commit"), "install"); code != 0 {
				c.Fatal(out)
			}
			git(c.T, c.dir, "rm", "-q", c.document)
			c.commits(false, "handoff_path is deleted by this commit: "+c.document)
		},
	} {
		t.Run(name, func(t *testing.T) { steps(newCommitting(t, p, repository, commit)) })
	}
}

// TestPreCommitInit: what `handoff init --git-hook` adds to the configuration of pre-commit
// is still run after pre-commit has written its hooks again.
func TestPreCommitInit(t *testing.T) {
	needs.Folder(t, "HANDOFF_PRE_COMMIT")
	needs.Tool(t, "git")
	c := newCommitting(t, preCommit{home: t.TempDir(), bin: commandDir(t)}, "", "")
	c.install()
	c.replace(c.document, "## Current State", "## Now")
	git(t, c.dir, "add", "-A")
	c.commits(false, "(missing-section)")
	git(t, c.dir, "rm", "-q", c.document)
	c.commits(false, "handoff_path is deleted by this commit: "+c.document)
}
