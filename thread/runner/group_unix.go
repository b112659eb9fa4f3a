//go:build unix

package runner

import (
	"os"
	"os/exec"
	"syscall"
)

// group gives a command a process group of its own, so that it can be told to
// end with all that it starts, and by us alone.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	withUs(cmd.SysProcAttr)
}

// tell sends a signal to the group. It may be gone.
func tell(p *os.Process, s os.Signal) {
	if n, ok := s.(syscall.Signal); ok {
		syscall.Kill(-p.Pid, n)
	}
}

func signalOf(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return int(w.Signal())
	}
	return 0
}
