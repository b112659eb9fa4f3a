//go:build unix

package killtest

import (
	"bufio"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// holdVar is the path that a process of [Stopped] locks.
const holdVar = "HANDOFF_TEST_HOLD"

// Stopped runs the calling test again in another process, where [Hold] locks a path. It returns
// that process, stopped while it holds the lock.
func Stopped(t testing.TB, path string) *os.Process {
	t.Helper()
	holder := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	holder.Env = append(os.Environ(), holdVar+"="+path)
	out, err := holder.StdoutPipe()
	if err == nil {
		err = holder.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { holder.Process.Kill(); holder.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" || err != nil {
		t.Fatal(line, err)
	}
	if err := holder.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	return holder.Process
}

// Hold is the first call of a test that uses [Stopped]: in its process it takes the lock.
func Hold(t testing.TB, lock func(path string) error) {
	t.Helper()
	path := os.Getenv(holdVar)
	if path == "" {
		return
	}
	if err := lock(path); err != nil {
		t.Fatal(err)
	}
	os.Stdout.WriteString("held\n")
	time.Sleep(time.Hour)
}
