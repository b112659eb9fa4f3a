package procgroup

import (
	"bytes"
	"iter"
	"os"
	"strconv"
)

// before does nothing: the mark is also on processes whose parents have ended.
func (*group) before() {}

// sweep ends what the command has started and left running, in whatever process group.
func (g *group) sweep() { end(g.left) }

// left are the processes with the mark.
func (g *group) left() (pids []int) {
	for pid, env := range environs() {
		if bytes.Contains(env, []byte(g.mark)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// environs are the environments of the other processes. Those of other users cannot be read, and are none of ours.
func environs() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		entries, _ := os.ReadDir("/proc")
		for _, e := range entries {
			pid, err := strconv.Atoi(e.Name())
			if err != nil || pid == os.Getpid() {
				continue
			}
			if env, err := os.ReadFile("/proc/" + e.Name() + "/environ"); err == nil && !yield(pid, env) {
				return
			}
		}
	}
}
