package killtest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// Work is what another process of a test binary does: a value whose exported members reach it as JSON.
type Work interface{ Run() error }

// workVar is the work of a process, as JSON.
const workVar = "HANDOFF_TEST_WORK"

// Main runs the tests, or in a process of [Command] its work. It is the TestMain of a package.
func Main[W Work](m *testing.M) {
	text := os.Getenv(workVar)
	if text == "" {
		os.Exit(m.Run())
	}
	runtime.LockOSThread() // strace counts the system calls of each thread
	var w W
	err := json.Unmarshal([]byte(text), &w)
	if err == nil {
		err = w.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, text, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Command returns a process that does some work, not started. Its package calls [Main].
func Command[W Work](t testing.TB, w W) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), workVar+"="+string(text))
	return cmd
}
