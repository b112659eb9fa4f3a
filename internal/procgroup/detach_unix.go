//go:build unix

package procgroup

import (
	"os/exec"
	"syscall"
)

// Detach has a command start in a session of its own, so that it outlives the terminal and the shell.
func Detach(c *exec.Cmd) error {
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return nil
}
