//go:build unix

package procgroup

import (
	"io"
	"os"
	"os/exec"
	"syscall"
)

// guardScript kills its process group when its standard input ends. The signals
// that the group gets are for the command. If this process is killed before the guard
// is ready, nobody reads that it is: SIGPIPE must not end it. It uses only shell builtins.
const guardScript = `trap '' HUP INT PIPE QUIT TERM USR1 USR2 TSTP
echo ready
while read -r line; do :; done
kill -s KILL 0`

// group is a process group whose leader is a guard. The system kills at most the
// command itself when this process is killed (see dieWithParent), not its children.
// The group exists before the command, so that the guard knows it at any time: a
// guard that had to be given the command's process id would not have it yet if
// this process was killed at that moment.
type group struct {
	guard *exec.Cmd      // nil without a shell: the command leads its own group then
	ready io.Reader      // the guard's output
	end   io.WriteCloser // open in this process only: it is closed however the process ends
}

func newGroup() *group {
	guard := exec.Command("/bin/sh", "-c", guardScript)
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end, err := guard.StdinPipe()
	ready, outErr := guard.StdoutPipe()
	if err != nil || outErr != nil || guard.Start() != nil {
		return &group{}
	}
	return &group{guard, ready, end}
}

// add makes a command that is not started a member.
func (g *group) add(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if g.guard != nil {
		cmd.SysProcAttr.Pgid = g.guard.Process.Pid
	}
	dieWithParent(cmd.SysProcAttr)
}

// await waits until a signal to the group does not end the guard.
func (g *group) await() {
	if g.guard != nil {
		g.ready.Read(make([]byte, 1))
	}
}

// signal sends a signal to the group, which may have ended, and to the command p
// if it has left the group, as a command that starts a session does.
func (g *group) signal(p *os.Process, s os.Signal) {
	n, ok := s.(syscall.Signal)
	if !ok {
		return
	}
	id := p.Pid
	if g.guard != nil {
		id = g.guard.Process.Pid
	}
	syscall.Kill(-id, n)
	if now, err := syscall.Getpgid(p.Pid); err == nil && now != id {
		p.Signal(s)
	}
}

// dismiss ends the guard without killing the group.
func (g *group) dismiss() {
	if g.guard != nil {
		g.guard.Process.Kill() // before its input ends
		g.guard.Wait()
	}
}

func signalOf(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return int(w.Signal())
	}
	return 0
}
