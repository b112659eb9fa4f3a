package lockfile

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"handoff/internal/file/nofollow"
)

// TestStopped: a lock of a stopped process is not waited for without end, if the caller
// asks for that; its holder is named. One that works again is waited for.
func TestStopped(t *testing.T) {
	if path := os.Getenv("HANDOFF_TEST_HOLD"); path != "" {
		if _, err := Lock(t.Context(), nofollow.Named, path); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("held\n")
		time.Sleep(time.Hour)
	}
	path := filepath.Join(t.TempDir(), "lock")
	holder := exec.Command(os.Args[0], "-test.run=^TestStopped$")
	holder.Env = append(os.Environ(), "HANDOFF_TEST_HOLD="+path)
	out, err := holder.StdoutPipe()
	if err == nil {
		err = holder.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { holder.Process.Kill(); holder.Wait() }()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" || err != nil {
		t.Fatal(line, err)
	}
	if err := holder.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var stopped *StoppedError
	begin := time.Now()
	if _, err := Lock(NotStopped(t.Context()), nofollow.Named, path); !errors.As(err, &stopped) || stopped.PID != holder.Process.Pid || time.Since(begin) < stoppedTime {
		t.Errorf("after %v: %v, want process %d", time.Since(begin), err, holder.Process.Pid)
	}
	go func() {
		time.Sleep(100 * time.Millisecond)
		holder.Process.Kill()
	}()
	unlock, err := Lock(t.Context(), nofollow.Named, path)
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}
