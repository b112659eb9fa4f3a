// Package gitwork saves the state of a working tree of git, with what is not committed, and
// compares such a state with the tree again. A saved state is a commit with two parents: the
// commit that HEAD was at, and a commit of what was staged, as git stash makes them.
//
// It runs the installed git, but only commands that write objects and one ref: HEAD, the
// index, the stash, reflogs and the files of the tree stay as they are. Contents are read and
// stored as they are on the disk, without git's conversions, so no filter runs; nor does any
// hook or other program that the configuration of the repository names.
//
// It does not know what the states are for.
package gitwork

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/internal/text/gitsaid"
)

// ErrNoTree reports that a folder is in no working tree of git.
var ErrNoTree = errors.New("not in a working tree of git")

// Repo is a working tree and its repository.
type Repo struct {
	Top  string // of the working tree, absolute, without symlinks
	git  string // the folder of this working tree: HEAD and index
	head string // the commit; "" before the first one
	tree string // of that commit
	hash string // "sha1" or "sha256"
}

// Open finds the working tree that contains a folder.
func Open(ctx context.Context, dir string) (*Repo, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	r := &Repo{Top: regular.GitTop(real)}
	if r.Top == "" {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoTree)
	}
	if r.git, _, err = regular.GitDirs(r.Top); err != nil || r.git == "" {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, ErrNoTree), err)
	}
	out, err := r.run(ctx, job{args: []string{"rev-parse", "--show-object-format", "--absolute-git-dir", "HEAD^{commit}", "HEAD^{tree}"}})
	lines := strings.Split(string(out), "\n")
	if len(lines) < 2 || lines[0] != "sha1" && lines[0] != "sha256" {
		return nil, err
	}
	if found, bad := filepath.EvalSymlinks(filepath.FromSlash(lines[1])); bad != nil || found != r.git {
		return nil, fmt.Errorf("%s: git uses another folder, %s", r.git, lines[1])
	}
	r.hash = lines[0]
	if err == nil && len(lines) > 3 { // else there is no commit yet
		r.head, r.tree = lines[2], lines[3]
	}
	return r, nil
}

// Head is the commit of HEAD; "" before the first one.
func (r *Repo) Head() string { return r.head }

// trusted is the folder below which files are read and written.
func (r *Repo) trusted() nofollow.Root { return nofollow.Root(r.Top) }

// full is the path of a file that git names.
func (r *Repo) full(name string) string {
	return r.Top + string(filepath.Separator) + filepath.FromSlash(name)
}

// job is a run of git.
type job struct {
	set  []string // options of git before args
	args []string
	in   []byte
	env  []string
}

// safe are settings for each run, against what the configuration of a repository can start or
// connect to, and against writes beside what is meant.
var safe = []string{
	gitsaid.NoBare,
	"core.hooksPath=" + os.DevNull,
	"core.fsmonitor=false",
	"core.untrackedCache=false",
	"core.splitIndex=false",
	"core.logAllRefUpdates=false",
	"core.quotePath=false",
	"core.protectHFS=true",
	"core.protectNTFS=true",
	"core.bare=false",
	"gc.auto=0",
	"pack.threads=1",
	"maintenance.auto=false",
	"protocol.allow=never",
	"commit.gpgSign=false",
	"i18n.commitEncoding=UTF-8",
}

// passed are the variables of git that are the user's settings. All others could point git to
// another repository, as they do in a hook.
var passed = map[string]bool{
	"GIT_CONFIG_GLOBAL": true, "GIT_CONFIG_SYSTEM": true, "GIT_CONFIG_NOSYSTEM": true, "GIT_EXEC_PATH": true, "GIT_CEILING_DIRECTORIES": true,
}

func (r *Repo) run(ctx context.Context, j job) ([]byte, error) { return r.runIn(ctx, r.Top, j) }

// runIn runs git in the working tree top. The top is named, because the configuration could
// name another one.
func (r *Repo) runIn(ctx context.Context, top string, j job) ([]byte, error) {
	c := exec.CommandContext(ctx, "git", append(j.set[:len(j.set):len(j.set)], j.args...)...)
	c.Dir = top
	c.Env = append(environ(), "GIT_WORK_TREE="+top)
	c.Env = append(c.Env, j.env...)
	c.WaitDelay = time.Second
	c.Stdin = bytes.NewReader(j.in)
	var out, talk bytes.Buffer
	c.Stdout, c.Stderr = &out, &talk
	if err := c.Run(); err != nil {
		return out.Bytes(), explain(ctx, j.args[0], err, talk.String())
	}
	return out.Bytes(), nil
}

func environ() (env []string) {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(name, "GIT_") || passed[name] {
			env = append(env, v)
		}
	}
	env = append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_TERMINAL_PROMPT=0",
		fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(safe)))
	for i, setting := range safe {
		key, value, _ := strings.Cut(setting, "=")
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, value))
	}
	return env
}

func explain(ctx context.Context, verb string, err error, talk string) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("git is not installed, or not on PATH")
	}
	if why := gitsaid.Reason(talk); why != "" {
		return fmt.Errorf("git %s: %s", verb, why)
	}
	return fmt.Errorf("git %s: %w", verb, err)
}

// line is an output of one line.
func line(out []byte) string { return strings.TrimSuffix(string(out), "\n") }
