package procgroup

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

// The time that processes get to end by themselves.
const (
	sweepTime  = time.Second
	sweepEvery = 20 * time.Millisecond
	between    = 5 * time.Millisecond
)

// sweep ends what the command has started and left running, in whatever process group: first with
// SIGTERM, then with SIGKILL.
func (g *group) sweep() {
	for _, pid := range g.left() {
		syscall.Kill(pid, syscall.SIGTERM)
	}
	for until := time.Now().Add(sweepTime); time.Now().Before(until) && len(g.left()) > 0; {
		time.Sleep(sweepEvery)
	}
	// A process may start others meanwhile, and one that is just being started shows no environment:
	// the end is when none was seen twice.
	const passes, clear = 10, 2
	for seen, none := 0, 0; seen < passes && none < clear; seen++ {
		list := g.left()
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

// left are the processes with the mark. Those of other users cannot be read, and are none of ours.
func (g *group) left() (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err == nil && bytes.Contains(env, []byte(g.mark)) {
			pids = append(pids, pid)
		}
	}
	return pids
}
