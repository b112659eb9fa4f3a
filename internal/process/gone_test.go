package process_test

import (
	"os"
	"os/exec"
	"testing"

	"handoff/internal/process"
	"handoff/internal/testing/needs"
)

func TestGone(t *testing.T) {
	if process.Gone(os.Getpid()) {
		t.Error("this process is gone")
	}
	needs.Unix(t, "only Unix answers cheaply")
	cmd := exec.Command(os.Args[0], "-test.run", "^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if !process.Gone(cmd.Process.Pid) {
		t.Error("a process that was waited for still exists")
	}
}
