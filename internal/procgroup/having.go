package procgroup

import "time"

// Process is one that runs.
type Process struct {
	PID     int    `json:"pid"`
	Command string `json:"command"` // with its arguments, which may have secrets
}

// settled is how long a process may take to end after what started it.
const settled = 200 * time.Millisecond

// Having returns the processes by what key returns for their environment, without those for which it is "": what commands with
// such an environment have started and left running, in whatever process group. Those that end within a moment are left out.
// Only Linux shows environments.
func Having(key func(getenv func(string) string) string) map[string][]Process {
	before := map[int]bool{}
	for _, p := range having(key) {
		before[p.PID] = true
	}
	if len(before) == 0 {
		return nil
	}
	time.Sleep(settled)
	list := map[string][]Process{}
	for k, p := range having(key) {
		if before[p.PID] {
			list[k] = append(list[k], p)
		}
	}
	return list
}
