//go:build unix

package procgroup

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"handoff/internal/testing/killtest"
	"handoff/internal/testing/waittest"
)

// childVar makes the test binary a command that leaves its process group.
const childVar = "PROCGROUP_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVar) != "" {
		if _, err := syscall.Setsid(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(os.Getpid())
		time.Sleep(waittest.Limit)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// start starts a command that prints a process id, with a function that starts it.
func start(t *testing.T, cmd *exec.Cmd, start func() error) (pid int) {
	t.Helper()
	cmd.Stderr = os.Stderr
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	cmd.Stdout = in
	if err = start(); err == nil {
		in.Close()
		_, err = fmt.Fscan(out, &pid)
	}
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// TestGuard: the guard survives the signals that are meant for the command. When
// its input ends, it kills the command and its children. All that it needs for this
// is done before the command starts.
func TestGuard(t *testing.T) {
	for _, s := range []syscall.Signal{0, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM} {
		g := newGroup()
		cmd := exec.Command("/bin/sh", "-c", `trap '' HUP INT TERM; sleep 600 & echo $!; wait`)
		g.add(cmd)
		child := start(t, cmd, cmd.Start)
		defer syscall.Kill(child, syscall.SIGKILL)
		if s != 0 {
			g.await()
			g.signal(cmd.Process, s)
		}
		g.end.Close()
		cmd.Wait()
		if signalOf(cmd.ProcessState) != int(syscall.SIGKILL) {
			t.Errorf("after signal %d the command ended with %v", s, cmd.ProcessState)
		}
		waittest.Until(t, "the end of the command's child", func() bool { return !killtest.Alive(child) })
		g.dismiss()
	}
}

// TestGuardUnheard: the guard also kills the group if the process that started it was
// killed before the guard was ready.
func TestGuardUnheard(t *testing.T) {
	unread, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	unread.Close()
	defer out.Close()
	guard := exec.Command("/bin/sh", "-c", guardScript) // without standard input
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	guard.Stdout = out
	guard.Run()
	if signalOf(guard.ProcessState) != int(syscall.SIGKILL) {
		t.Errorf("it ended with %v", guard.ProcessState)
	}
}

// TestLeft: a signal reaches a command that has left its group.
func TestLeft(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childVar+"=1")
	var c *Command
	start(t, cmd, func() (err error) { c, err = Start(cmd); return err })
	c.Signal(syscall.SIGTERM)
	waittest.For(t, "the end of the command", c.Ended)
	if n := SignalOf(cmd.ProcessState); n != int(syscall.SIGTERM) {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
}
