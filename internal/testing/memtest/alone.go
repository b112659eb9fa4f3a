package memtest

import (
	"os"
	"os/exec"
	"regexp"
	"testing"
)

// variable names the test that a process was started for.
const variable = "HANDOFF_MEMTEST"

// Alone reports whether a test runs in its own process, where [Peak] can measure. In
// any other it runs such a process and reports its result; the caller must return.
//
// There each collection stops the world. Otherwise objects dropped during marking
// count as live, and on a busy machine marking can take as long as the work.
func Alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(variable) == t.Name() {
		return true
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^"+regexp.QuoteMeta(t.Name())+"$", "-test.count=1")
	cmd.Env = append(os.Environ(), variable+"="+t.Name(), "GODEBUG=gcstoptheworld=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}
