package procgroup

import (
	"bytes"
	"os"
	"strconv"
)

// before does nothing: the mark is also on processes whose parents have ended.
func (*group) before() {}

// sweep ends what the command has started and left running, in whatever process group.
func (g *group) sweep() { end(g.left) }

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
