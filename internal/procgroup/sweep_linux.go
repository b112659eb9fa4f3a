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
	const passes = 5 // a process may start others meanwhile
	for range passes {
		list := g.left()
		if len(list) == 0 {
			return
		}
		for _, pid := range list {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
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
