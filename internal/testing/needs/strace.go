package needs

import (
	"os/exec"
	"testing"
)

// TraceArgs are the arguments of strace that log to a file which paths a command
// and its processes use, and how. The command follows.
func TraceArgs(log string) []string {
	return []string{"-f", "-y", "-s", "4096", "--seccomp-bpf", "-o", log, "-e", "signal=none", "-e", "trace=%file,bind,fchmod,fchown", "--"}
}

// Strace goes on where strace is installed and may trace: some containers forbid
// ptrace.
func Strace(t testing.TB) {
	t.Helper()
	Linux(t, "strace")
	Tool(t, "strace")
	if out, err := exec.Command("strace", append(TraceArgs("/dev/null"), "true")...).CombinedOutput(); err != nil {
		Missing(t, "strace", "it may not trace: "+string(out))
	}
}
