package gitindex

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// committing looks for a process `git commit` in a working tree that has not come to its
// message yet: git runs the hook pre-commit before it writes the file message.
func committing(top, message string) bool {
	procs, err := os.Open("/proc")
	if err != nil {
		return false
	}
	defer procs.Close()
	names, _ := procs.Readdirnames(-1)
	for _, name := range names {
		if name[0] < '1' || name[0] > '9' {
			continue
		}
		dir := "/proc/" + name
		if comm, err := os.ReadFile(dir + "/comm"); err != nil || string(comm) != "git\n" {
			continue
		}
		args, _ := os.ReadFile(dir + "/cmdline")
		in, _ := os.Readlink(dir + "/cwd")
		if isCommit(strings.Split(string(args), "\x00")) && in == top && !writtenAfter(message, started(dir)) {
			return true
		}
	}
	return false
}

// isCommit reports whether the arguments of git name the command commit.
func isCommit(args []string) bool {
	for i := 1; i < len(args); i++ {
		switch {
		case slices.Contains([]string{"-c", "-C", "--git-dir", "--work-tree", "--namespace"}, args[i]):
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i] == "commit"
		}
	}
	return false
}

func writtenAfter(file string, t time.Time) bool {
	st, err := os.Stat(file)
	return err == nil && !t.IsZero() && st.ModTime().After(t)
}

// ticks is the unit of times in /proc: Linux has shown 100 a second to programs for
// decades, whatever it counts itself.
const ticks = 100

// started is when a process was started, zero if that is unknown.
func started(proc string) time.Time {
	stat, err := os.ReadFile(proc + "/stat")
	if err != nil {
		return time.Time{}
	}
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // the name before may contain anything
	const startTime = 22 - 3
	if len(f) <= startTime {
		return time.Time{}
	}
	at, err := strconv.ParseInt(f[startTime], 10, 64)
	uptime, upErr := os.ReadFile(filepath.Join(filepath.Dir(proc), "uptime"))
	up, _, _ := strings.Cut(string(uptime), " ")
	seconds, numErr := strconv.ParseFloat(up, 64)
	if err != nil || upErr != nil || numErr != nil {
		return time.Time{}
	}
	age := time.Duration(seconds*float64(time.Second)) - time.Duration(at)*time.Second/ticks
	return time.Now().Add(-age)
}
