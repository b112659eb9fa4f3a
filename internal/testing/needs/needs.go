// Package needs says what a test needs of the machine it runs on: programs,
// folders, a system, a user. Where that is missing the test is skipped with
// the reason. Where CI runs (HANDOFF_CI is set) it fails, because a test that
// never runs holds nothing.
//
// HANDOFF_WITHOUT names what a machine is known to lack, separated by spaces
// (HANDOFF_CORPUS, systemd-analyze): such tests are skipped in CI too, and
// .ci/run decides which of them may be.
package needs

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Missing ends a test for which the machine lacks a thing. The other functions
// call it; a test does for what only trying shows.
func Missing(t testing.TB, thing, reason string) {
	t.Helper()
	known := slices.Contains(strings.Fields(os.Getenv("HANDOFF_WITHOUT")), thing)
	if os.Getenv("HANDOFF_CI") != "" && !known {
		t.Fatalf("%s is missing, and in CI each test must run: %s", thing, reason)
	}
	t.Skipf("%s: %s", thing, reason)
}

// Tool goes on where a program of this name is in PATH.
func Tool(t testing.TB, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		Missing(t, name, "it is not installed")
	}
}

// Folder is what an environment variable names: HANDOFF_CORPUS holds real
// documents, HANDOFF_CONTRACTS samples of other programs. Neither is ours to
// copy into the project. A variable that names no folder fails the test.
func Folder(t testing.TB, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		Missing(t, variable, "the variable names no folder")
	}
	if st, err := os.Stat(path); err != nil || !st.IsDir() {
		t.Fatalf("%s=%s is no folder (%v)", variable, path, err)
	}
	return path
}

// Unix goes on where there are signals, modes and pipes as Unix has them. No
// setting brings them to Windows, so there the test is skipped in CI as well.
func Unix(t testing.TB, reason string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip(reason)
	}
}

// Linux goes on on Linux, and is skipped elsewhere like Unix.
func Linux(t testing.TB, reason string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip(reason)
	}
}

// Symlink makes a symbolic link. Windows lets only some users make them.
func Symlink(t testing.TB, target, path string) {
	t.Helper()
	err := os.Symlink(target, path)
	if err != nil && runtime.GOOS == "windows" {
		Missing(t, "symlink", err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// NotRoot runs a test of what the user may not do. Root may do everything, so
// for root this test binary runs the test once more in a process as nobody:
// test is called there, in a folder of its own, and not in this process. What
// the test did before it called NotRoot is done in both.
func NotRoot(t *testing.T, test func()) {
	t.Helper()
	if os.Getuid() == 0 {
		asNobody(t)
		return
	}
	test()
}
