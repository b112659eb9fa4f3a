//go:build unix

package procgroup

import (
	"fmt"
	"io"
	"os/exec"
	"syscall"
)

// guardScript reads the process group of a command, waits until its standard input
// ends, and kills the group. It uses only shell builtins.
const guardScript = `read -r group || exit 0
while read -r line; do :; done
kill -s KILL -- "-$group"`

// guard kills a command's process group when this process is killed. The system
// kills at most the command itself (see dieWithParent), not its children.
type guard struct {
	cmd *exec.Cmd
	end io.WriteCloser // open in this process only: it is closed however the process ends
}

// newGuard starts a guard, nil if there is no shell. It has its own process group,
// so signals from a terminal do not end it.
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

// watch sets the group, by its leading process.
func (g *guard) watch(leader int) {
	if g != nil {
		fmt.Fprintln(g.end, leader)
	}
}

// dismiss ends the guard without killing the group.
func (g *guard) dismiss() {
	if g != nil {
		g.cmd.Process.Kill() // before its input ends
		g.cmd.Wait()
	}
}
