//go:build unix

package procgroup

import (
	"os"
	"os/exec"
	"syscall"
)

// group gives a command its own process group, so that a signal reaches all its
// children, and signals from a terminal do not.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// signal sends a signal to the group, which may have ended.
func signal(p *os.Process, s os.Signal) {
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
