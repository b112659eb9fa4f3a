//go:build unix

package killtest

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// Alive reports whether a process runs. One that has ended may wait for its parent
// to ask how.
func Alive(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
	}
	return syscall.Kill(pid, 0) == nil
}
