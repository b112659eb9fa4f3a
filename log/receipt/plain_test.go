package receipt

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
)

// plainBinary is this test binary without the race detector. The detector sees the inside of one process, and
// all of a crowd do the same: it watches a few of them, because with it each takes ten times the CPU.
func plainBinary(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || !slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return self
	}
	binary := filepath.Join(t.TempDir(), "plain.test")
	if out, err := exec.Command("go", "test", "-c", "-ldflags=-s -w", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return binary
}
