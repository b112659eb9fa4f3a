// Package needs checks what a test requires of the machine it runs on: programs,
// folders, an operating system, a user. If something is missing, the test is
// skipped with the reason. In CI (HANDOFF_CI is set) it fails, because a test
// that never runs proves nothing.
//
// HANDOFF_WITHOUT lists what a machine is known to lack, separated by spaces
// (HANDOFF_CORPUS, systemd-analyze). Tests that need it are skipped in CI too;
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

// Missing skips a test, or fails it in CI, because the machine lacks a thing. The
// other functions call it. A test calls it for things that only trying shows.
func Missing(t testing.TB, thing, reason string) {
	t.Helper()
	known := slices.Contains(strings.Fields(os.Getenv("HANDOFF_WITHOUT")), thing)
	if os.Getenv("HANDOFF_CI") != "" && !known {
		t.Fatalf("%s is missing, and in CI each test must run: %s", thing, reason)
	}
	t.Skipf("%s: %s", thing, reason)
}

// Tool requires a program in PATH. A test that requires git does not see the
// repository that the tests are run from.
func Tool(t testing.TB, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		Missing(t, name, "it is not installed")
	}
	if name == "git" {
		forgetRepository(t)
	}
}

// Folder returns the folder that an environment variable names. HANDOFF_CORPUS
// holds real documents, HANDOFF_CONTRACTS samples of other programs; neither may
// be copied into the project. If the variable does not name a folder, the test
// fails.
func Folder(t testing.TB, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		Missing(t, variable, "the variable is not set")
	}
	if st, err := os.Stat(path); err != nil || !st.IsDir() {
		t.Fatalf("%s=%s is not a folder (%v)", variable, path, err)
	}
	return path
}

// Unix requires the signals, file modes and pipes of Unix. Windows cannot have
// them, so the test is skipped there in CI as well.
func Unix(t testing.TB, reason string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip(reason)
	}
}

// Linux requires Linux. Elsewhere the test is skipped, in CI as well.
func Linux(t testing.TB, reason string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip(reason)
	}
}

// Symlink creates a symbolic link. On Windows only some users may.
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

// NotRoot runs a test of missing permissions. Root has all permissions, so for
// root the test binary runs this test again in a second process, as the user
// nobody and in a folder of its own. Only that process calls test; both run what
// comes before the call of NotRoot.
func NotRoot(t *testing.T, test func()) {
	t.Helper()
	if os.Getuid() == 0 {
		asNobody(t)
		return
	}
	test()
}
