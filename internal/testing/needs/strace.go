package needs

import (
	"os/exec"
	"testing"
)

// TraceArgs returns the arguments with which strace logs to a file which paths a
// command and its child processes use, and how. The command follows them.
func TraceArgs(log string) []string {
	return []string{"-f", "-y", "-s", "4096", "--seccomp-bpf", "-o", log, "-e", "signal=none", "-e", "trace=%file,bind,fchmod,fchown", "--"}
}

// Strace requires a strace that may trace: some containers forbid ptrace.
func Strace(t testing.TB) {
	t.Helper()
	Linux(t, "strace")
	Tool(t, "strace")
	if out, err := exec.Command("strace", append(TraceArgs("/dev/null"), "true")...).CombinedOutput(); err != nil {
		Missing(t, "strace", "it may not trace: "+string(out))
	}
}
