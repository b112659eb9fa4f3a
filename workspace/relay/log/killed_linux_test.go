package log

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"handoff/workspace"
)

const lockVariable = "HANDOFF_TEST_RELAY_LOCK"

// TestMain lets the test binary be a process that holds the lock of a relay until it is
// killed.
func TestMain(m *testing.M) {
	dir, ok := os.LookupEnv(lockVariable)
	if !ok {
		os.Exit(m.Run())
	}
	ws, err := workspace.Open(dir, workspace.Options{})
	if err == nil {
		_, err = Lock(ws, "r1")
	}
	fmt.Println(err)
	select {}
}

// TestLockOfTheKilled: a relay that runs is reported at once. The lock of a killed one may
// still be held for a moment by a child that has not executed its program: that is waited
// for.
func TestLockOfTheKilled(t *testing.T) {
	ws := treeWith(t, nil)
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), lockVariable+"="+ws.Root)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if line != "<nil>\n" {
		t.Errorf("the holder: %s", line)
	}
	if _, err := Lock(ws, "r1"); !errors.Is(err, ErrRunning) {
		t.Errorf("the lock of a live relay: %v", err)
	}
	holder.Process.Kill()
	holder.Wait()

	child, err := syscall.Open(pathOf(ws, "r1", ".lock"), syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(child, syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	released := time.AfterFunc(3*lockWait, func() { syscall.Close(child) })
	defer released.Stop()
	b, err := Lock(ws, "r1")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}
