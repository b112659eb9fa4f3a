package lockfile

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
)

// self is this process.
var self = sync.OnceValue(func() process {
	host, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	start, _, _ := startOf("self")
	return process{word(strings.TrimSpace(string(boot))), word(space), os.Getpid(), word(start), word(host)}
})

// isStopped reports whether a process is stopped by a signal or a debugger.
func isStopped(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	return err == nil && (strings.HasPrefix(rest, "T") || strings.HasPrefix(rest, "t"))
}

// startOf is when a process started, in ticks since boot. gone: it does not exist, or it
// is a zombie.
func startOf(pid string) (start string, gone bool, err error) {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return "", errors.Is(err, fs.ErrNotExist), err
	}
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ") // the name may contain anything
	f := strings.Fields(rest)
	const startAt = 19 // of those after the name
	if len(f) <= startAt {
		return "", false, errors.New("unknown format")
	}
	return f[startAt], f[0] == "Z" || f[0] == "X", nil
}

// life reports whether a process is known to be alive, or known to be dead.
func (p process) life() (alive, dead bool) {
	me := self()
	switch {
	case p.boot == "-" || me.boot == "-":
		return false, false
	case p.boot != me.boot:
		return false, p.host != "-" && p.host == me.host // it ran before the last boot
	case p.space == "-" || p.space != me.space || p.start == "-":
		return false, false
	}
	start, gone, err := startOf(strconv.Itoa(p.pid))
	switch {
	case gone:
		return false, true
	case err != nil:
		return false, false
	}
	return start == p.start, start != p.start
}
