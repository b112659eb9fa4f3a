package procgroup

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"handoff/internal/testing/killtest"
	"handoff/internal/testing/waittest"
)

// away is a command that starts another one in a session of its own, prints its process id, and ends
// when it gets a signal.
const away = `trap 'exit 0' INT; setsid sh -c 'trap "" TERM; echo $$; sleep 600 & wait; sleep 600' & wait`

// TestSweep: what a command has left running in a session of its own ends with it if it is
// signalled, and also if the process that started it is killed.
func TestSweep(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("needs setsid")
	}
	gone := func(pid int) {
		t.Helper()
		waittest.Until(t, "the end of the command that left the group", func() bool { return !killtest.Alive(pid) })
	}
	cmd := exec.Command("/bin/sh", "-c", away)
	var c *Command
	child := start(t, cmd, func() (err error) { c, err = Start(cmd); return err })
	defer syscall.Kill(child, syscall.SIGKILL)
	c.Signal(syscall.SIGINT)
	waittest.For(t, "the end of the command", c.Ended)
	gone(child)

	for _, ends := range []string{"exit 3", "kill -KILL $$"} { // it fails, or something else kills it
		cmd := exec.Command("/bin/sh", "-c", `setsid sh -c 'echo $$; exec >&-; sleep 600' & sleep 0.2; `+ends)
		var c *Command
		child := start(t, cmd, func() (err error) { c, err = Start(cmd); return err })
		defer syscall.Kill(child, syscall.SIGKILL)
		waittest.For(t, "the end of the command", c.Ended)
		if killtest.Alive(child) {
			t.Errorf("%s: what it started in a session of its own still runs", ends)
		}
	}
	g := newGroup()
	cmd = exec.Command("/bin/sh", "-c", away)
	g.add(cmd)
	child = start(t, cmd, cmd.Start)
	defer syscall.Kill(child, syscall.SIGKILL)
	g.end.Close() // as if this process was killed
	cmd.Wait()
	gone(child)
	g.dismiss()
}

// TestTree: without /proc, what a command has started is found by who started it, as on macOS: when it gets a
// signal, and when the process that started it is killed.
func TestTree(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("needs setsid")
	}
	g := newGroup()
	defer g.dismiss()
	cmd := exec.Command("/bin/sh", "-c", away)
	g.add(cmd)
	child := start(t, cmd, cmd.Start)
	defer syscall.Kill(child, syscall.SIGKILL)
	if pids := g.tree(); !slices.Contains(pids, child) || !slices.Contains(pids, cmd.Process.Pid) || slices.Contains(pids, os.Getpid()) || slices.Contains(pids, g.guard.Process.Pid) {
		t.Errorf("%v is not the command %d with its child %d", pids, cmd.Process.Pid, child)
	}
	cmd.Process.Signal(syscall.SIGINT)
	cmd.Wait()
	end(g.tree)
	waittest.Until(t, "the end of the command that left the group", func() bool { return !killtest.Alive(child) && len(g.tree()) == 0 })

	guard := exec.Command("/bin/sh", "-c", strings.ReplaceAll(guardScript, "/proc", "/none"), "mark")
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	input, err := guard.StdinPipe()
	if err == nil {
		err = guard.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command("/bin/sh", "-c", away)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: guard.Process.Pid}
	child = start(t, cmd, cmd.Start)
	defer syscall.Kill(child, syscall.SIGKILL)
	input.Close() // as if this process was killed
	guard.Wait()
	cmd.Wait()
	waittest.Until(t, "the end of the command that left the group of a guard", func() bool { return !killtest.Alive(child) })
}

// TestLeftAlone: a command that ends by itself may leave others running.
func TestLeftAlone(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", `sleep 600 >/dev/null 2>&1 & echo $!`)
	var c *Command
	child := start(t, cmd, func() (err error) { c, err = Start(cmd); return err })
	defer syscall.Kill(child, syscall.SIGKILL)
	waittest.For(t, "the end of the command", c.Ended)
	if !killtest.Alive(child) {
		t.Error("it was ended")
	}
}

// TestMarks: a command within another one has the marks of both.
func TestMarks(t *testing.T) {
	cmd := exec.Command("true")
	cmd.Env = []string{"A=b"}
	cmd.Env = marked(cmd, "one")
	cmd.Env = marked(cmd, "two")
	if got := cmd.Env[len(cmd.Env)-1]; got != markVar+"=one two" {
		t.Errorf("%q", cmd.Env)
	}
}
