//go:build unix

package procgroup

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The time that processes get to end by themselves.
const (
	sweepTime  = time.Second
	sweepEvery = 20 * time.Millisecond
	between    = 5 * time.Millisecond
)

// end ends processes: first with SIGTERM, then with SIGKILL.
func end(left func() []int) {
	for _, pid := range left() {
		syscall.Kill(pid, syscall.SIGTERM)
	}
	for until := time.Now().Add(sweepTime); time.Now().Before(until) && len(left()) > 0; {
		time.Sleep(sweepEvery)
	}
	// A process may start others meanwhile, and one that is just being started shows no environment:
	// the end is when none was seen twice.
	const passes, clear = 10, 2
	for seen, none := 0, 0; seen < passes && none < clear; seen++ {
		list := left()
		if none++; len(list) > 0 {
			none = 0
		}
		for _, pid := range list {
			kill(pid)
		}
		time.Sleep(between)
	}
}

// kill kills a process, with its group if it leads one: all in there were started by it, and the
// system kills them at once, also one that is just being started.
func kill(pid int) {
	if group, err := syscall.Getpgid(pid); err == nil && group == pid {
		syscall.Kill(-pid, syscall.SIGKILL)
	}
	syscall.Kill(pid, syscall.SIGKILL)
}

// process is one that ps shows. began tells it from a later one with its id.
type process struct {
	pid, parent, group int
	began              string
}

// is reports whether a process of before is the same, which may have another parent or group now.
func (p process) is(before process) bool { return p.pid == before.pid && p.began == before.began }

// processes are those of the machine that have not ended.
func processes() (all []process) {
	ps := exec.Command("/bin/ps", "-A", "-o", "pid=,ppid=,pgid=,stat=,lstart=")
	ps.Env = []string{"LC_ALL=C"}
	out, _ := ps.Output() // without ps there are none, as without /proc on Linux
	for line := range strings.Lines(string(out)) {
		const columns = 4 // before the time
		f := strings.Fields(line)
		if len(f) <= columns || strings.HasPrefix(f[3], "Z") {
			continue
		}
		p := process{began: strings.Join(f[columns:], " ")}
		var errs [3]error
		p.pid, errs[0] = strconv.Atoi(f[0])
		p.parent, errs[1] = strconv.Atoi(f[1])
		p.group, errs[2] = strconv.Atoi(f[2])
		if errs == [3]error{} {
			all = append(all, p)
		}
	}
	return all
}

// tree are the processes of the command that run, where their environment cannot be read: the members
// of the group, but for its leader, those that descend from one, and those of earlier calls. One that has left the
// group is only found if this was called while the process that started it ran. Without a guard there are none:
// the id of the group may be another one's by now.
func (g *group) tree() (pids []int) {
	if g.guard == nil {
		return nil
	}
	g.looking.Lock()
	defer g.looking.Unlock()
	all, leader := processes(), g.guard.Process.Pid
	ours := map[int]bool{}
	for more := true; more; {
		more = false
		for _, p := range all {
			if p.pid != leader && p.pid != os.Getpid() && !ours[p.pid] && (p.group == leader || ours[p.parent] || slices.ContainsFunc(g.seen, p.is)) {
				ours[p.pid], more = true, true
			}
		}
	}
	g.seen = slices.DeleteFunc(all, func(p process) bool { return !ours[p.pid] })
	for _, p := range g.seen {
		pids = append(pids, p.pid)
	}
	return pids
}
