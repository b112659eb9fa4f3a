//go:build unix

package procgroup

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// guardScript kills its process group when its standard input ends, and before that the
// processes that have left the group: on Linux those with the mark $0 in their environment, elsewhere
// those that descend from members of the group. It
// ignores the signals to the group, which are for the command, and SIGPIPE, which it gets if
// this process is killed before it reads `ready`. But for grep, ps and awk it uses only shell builtins. A process
// that is just being started shows no environment, so it looks until it has seen none twice.
const guardScript = `trap '' HUP INT PIPE QUIT TERM USR1 USR2 TSTP
echo ready
while read -r line; do :; done
[ -r /proc/self/environ ] || for pid in $(/bin/ps -A -o pid= -o ppid= -o pgid= | awk -v g=$$ '
	{ parent[$1] = $2; group[$1] = $3 }
	END {
		do {
			more = 0
			for (p in parent) if (p != g && !(p in ours) && (group[p] == g || parent[p] in ours)) { ours[p]; more = 1 }
		} while (more)
		for (p in ours) print p
	}'); do
	kill -s KILL -- "-$pid" # if it leads a group: see sweep
	kill -s KILL "$pid"
done 2>/dev/null
clear=
for try in 1 2 3 4 5 6; do
	left=$(grep -slF -e "$0" /proc/[0-9]*/environ)
	[ -n "$left$clear" ] || { clear=1; continue; }
	[ -n "$left" ] || break
	clear=
	for file in $left; do
		file=${file#/proc/}
		kill -s KILL -- "-${file%/environ}" # if it leads a group: see sweep
		kill -s KILL "${file%/environ}"
	done
done 2>/dev/null
kill -s KILL 0`

// group is a process group whose leader is a guard. The system kills at most the
// command itself when this process is killed (see dieWithParent), not its children.
// The group exists before the command: a guard that got the command's process id
// after the start would kill nothing if this process was killed in between.
type group struct {
	guard *exec.Cmd      // nil without a shell: the command leads its own group then
	ready io.Reader      // the guard's output
	end   io.WriteCloser // open in this process only: it is closed however the process ends
	mark  string         // in the environment of all that the command starts

	looking sync.Mutex
	seen    []process // see tree
}

func newGroup() *group {
	mark := newMark()
	guard := exec.Command("/bin/sh", "-c", guardScript, mark)
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end, err := guard.StdinPipe()
	ready, outErr := guard.StdoutPipe()
	if err != nil || outErr != nil || guard.Start() != nil {
		return &group{mark: mark}
	}
	return &group{guard: guard, ready: ready, end: end, mark: mark}
}

// add makes a command that is not started a member.
func (g *group) add(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if g.guard != nil {
		cmd.SysProcAttr.Pgid = g.guard.Process.Pid
	}
	dieWithParent(cmd.SysProcAttr)
	cmd.Env = marked(cmd, g.mark)
}

// await waits until the guard ignores signals to the group.
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
