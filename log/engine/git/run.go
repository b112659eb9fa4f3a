package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"handoff/internal/text/gitsaid"
)

// job is a run of git.
type job struct {
	dir  string // where to run it; the engine's own repository if it is ""
	in   []byte
	args []string
	env  []string
}

// safe are settings for each run: no program runs that the settings do not name for
// signing in, and nothing is done in the background.
var safe = []string{
	gitsaid.NoBare,
	"core.hooksPath=" + os.DevNull,
	"core.fsmonitor=false",
	"gc.auto=0",
	"maintenance.auto=false",
	"push.gpgSign=false",
	"commit.gpgSign=false",
	"push.followTags=false",
	"fetch.recurseSubmodules=false",
	"push.recurseSubmodules=no",
	"protocol.ext.allow=never",
	"advice.pushFetchFirst=false",
}

// failure is git's reason in its own words.
type failure struct {
	verb   string
	talk   string
	remote string // what the other side said
	err    error
}

func (f *failure) Error() string {
	if f.talk == "" {
		return fmt.Sprintf("git %s: %v", f.verb, f.err)
	}
	return fmt.Sprintf("git %s: %s", f.verb, f.talk)
}

func (f *failure) Unwrap() error { return f.err }

// run runs git without a terminal: a question for a password fails at once.
func (e *Engine) run(ctx context.Context, j job) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, e.o.Timeout)
	defer cancel()
	args := []string{}
	if j.dir == "" {
		args = append(args, "--git-dir="+e.dir)
	}
	c := exec.CommandContext(ctx, "git", append(args, j.args...)...)
	c.Dir = e.dir
	if j.dir != "" {
		c.Dir = j.dir
	}
	c.Env = append(e.environ(), j.env...)
	c.WaitDelay = time.Second // a child of git, such as ssh, may hold the pipes
	c.Stdin = bytes.NewReader(j.in)
	var out, talk bytes.Buffer
	c.Stdout, c.Stderr = &out, &talk
	err := c.Run()
	if err == nil {
		return out.Bytes(), nil
	}
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("git is not installed, or not on PATH")
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("no answer within %s: %w", e.o.Timeout, ctx.Err())
		talk.Reset()
	}
	return out.Bytes(), &failure{j.args[0], gitsaid.Reason(talk.String()), gitsaid.Remote(talk.String()), err}
}

// environ is the environment without what points git to another repository, as in a
// hook, or sets other options, and with the settings of [safe] and of the user's repository.
func (e *Engine) environ() []string {
	var env []string
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(name, "GIT_") || passed[name] {
			env = append(env, v)
		}
	}
	if os.Getenv("GIT_SSH_COMMAND") == "" && os.Getenv("GIT_SSH") == "" && !e.has("core.sshcommand") {
		env = append(env, "GIT_SSH_COMMAND=ssh -o BatchMode=yes -o ConnectTimeout=10")
	}
	all := append(append([]string{}, e.config...), safe...)
	env = append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(all)))
	for i, setting := range all {
		key, value, _ := strings.Cut(setting, "=")
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, value))
	}
	return env
}

// passed are environment variables for the connection and the user's settings.
var passed = map[string]bool{
	"GIT_SSH": true, "GIT_SSH_COMMAND": true, "GIT_SSH_VARIANT": true, "GIT_SSL_NO_VERIFY": true, "GIT_SSL_CAINFO": true,
	"GIT_CONFIG_GLOBAL": true, "GIT_CONFIG_SYSTEM": true, "GIT_CONFIG_NOSYSTEM": true, "GIT_EXEC_PATH": true, "GIT_ALLOW_PROTOCOL": true,
	"GIT_PROXY_COMMAND": true, "GIT_TRACE": true, "GIT_CURL_VERBOSE": true,
}

func (e *Engine) has(key string) bool {
	for _, setting := range e.config {
		if strings.HasPrefix(strings.ToLower(setting), key+"=") {
			return true
		}
	}
	return false
}

// settings reads the output of git config --null: KEY, newline, VALUE, NUL.
func settings(out []byte) (all []string) {
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if key, value, ok := strings.Cut(entry, "\n"); ok {
			all = append(all, key+"="+value)
		}
	}
	return all
}

func line(out []byte) string { return strings.TrimSuffix(string(out), "\n") }

// isURL reports whether a text is a URL or HOST:PATH, not a remote's name or a folder.
func isURL(s string) bool {
	host, _, ok := strings.Cut(s, ":")
	return ok && len(host) > 1 && !strings.Contains(host, "/")
}
