package prove

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"handoff/internal/procgroup"
	"handoff/internal/text/secret"
	"handoff/internal/text/visible"
)

// outcome is how a command ended: err is nil if it succeeded.
type outcome struct {
	err    error
	exit   int    // exit status, -1 for none
	output string // the end of it, of a command that failed
	all    string // the end of it, as it was printed
}

// grace is how long a command may take to end after the signal.
const grace = 2 * time.Second

// passed are the variables of the environment that a command gets. Tokens and keys of the
// person who runs it are not among them.
var passed = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "SystemRoot", "PATHEXT",
	"USERPROFILE", "LOCALAPPDATA", "APPDATA", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "GOPATH", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY", "CARGO_HOME", "RUSTUP_HOME",
	"VIRTUAL_ENV", "NODE_PATH", "JAVA_HOME", "ELAN_HOME"}

// run runs an allowed command in the root of the workspace, in a process group of its own,
// which is killed after the time limit.
func run(ctx context.Context, p *Prover, command []string) outcome {
	limits := p.ws.Config.Checks
	limits.Timeout = max(limits.Timeout, p.atLeast)
	ctx, cancel := context.WithTimeout(ctx, limits.Timeout)
	defer cancel()
	var out tail
	out.max = limits.Output
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = p.ws.Root, environment(), &out, &out, grace
	started, err := procgroup.Start(cmd)
	if err != nil {
		var why *exec.Error
		if errors.As(err, &why) {
			err = why.Err
		}
		return outcome{exit: -1, err: fmt.Errorf("%s cannot be started: %w", command[0], err)}
	}
	select {
	case err = <-started.Ended:
	case <-ctx.Done():
		err = ended(started)
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("no result within %s", limits.Timeout)
		} else {
			err = errors.Join(ctx.Err(), err)
		}
	}
	if err == nil {
		return outcome{all: string(out.kept)}
	}
	status := -1
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status, err = exit.ExitCode(), fmt.Errorf("it ended with %s", exit.ProcessState)
	}
	return outcome{err, status, out.text(), string(out.kept)}
}

// ended ends a process group.
func ended(c *procgroup.Command) error {
	c.Signal(syscall.SIGTERM)
	select {
	case err := <-c.Ended:
		return err
	case <-time.After(grace):
		c.Signal(syscall.SIGKILL)
		return <-c.Ended
	}
}

func environment() (env []string) {
	for _, name := range passed {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// tail keeps the last bytes that are written to it. A command writes its output and its
// errors through one copying goroutine.
type tail struct {
	max  int
	kept []byte
	cut  bool
}

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - t.max; over > 0 {
		t.cut = true
		if len(t.kept) > 2*t.max { // seldom, so that a long output is not copied again and again
			t.kept = append([]byte(nil), t.kept[over:]...)
		}
	}
	return len(b), nil
}

// Limits of the shown output.
const (
	maxLines = 20
	maxLine  = 400 // bytes
)

// text is safe to show: without secrets, and without what moves the cursor.
func (t *tail) text() string {
	kept := t.kept[max(0, len(t.kept)-t.max):]
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(kept), "�")), "\n")
	lines = lines[max(0, len(lines)-maxLines):]
	for i, line := range lines {
		lines[i] = visible.Text(secret.Line(line, maxLine))
	}
	return strings.Join(lines, "\n")
}
