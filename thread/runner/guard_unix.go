//go:build unix

package runner

import (
	"fmt"
	"io"
	"os/exec"
	"syscall"
)

// guardScript reads the process group of a command, waits until its standard
// input ends, and kills the group. It uses what the shell has built in only.
const guardScript = `read -r group || exit 0
while read -r line; do :; done
kill -s KILL -- "-$group"`

// guard kills a command's process group when this process is killed. The system
// kills the command itself at most (see withUs), and none of its children.
type guard struct {
	cmd *exec.Cmd
	end io.WriteCloser // held open by this process alone: it closes however that ends
}

// newGuard starts a guard, nil where there is no shell to be one. It has a
// process group of its own, so that no signal from a terminal ends it.
func newGuard() *guard {
	cmd := exec.Command("/bin/sh", "-c", guardScript)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil
	}
	return &guard{cmd, end}
}

// watch names the group, by the process that leads it.
func (g *guard) watch(leader int) {
	if g != nil {
		fmt.Fprintln(g.end, leader)
	}
}

// dismiss ends the guard, and leaves the group alone.
func (g *guard) dismiss() {
	if g != nil {
		g.cmd.Process.Kill() // before its input ends
		g.cmd.Wait()
	}
}
