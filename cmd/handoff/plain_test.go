package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// withoutRace runs a test of thousands of sequential commands in a test binary
// without the race detector. The detector would make it several times slower
// and find little: TestScript runs the same commands with it. It returns false
// without the race detector; the caller then runs the test itself.
func withoutRace(t *testing.T) (done bool) {
	t.Helper()
	if !raceDetector {
		return false
	}
	binary := filepath.Join(t.TempDir(), "plain.test")
	if out, err := exec.Command("go", "test", "-c", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	left := time.Duration(0) // no limit
	if deadline, ok := t.Deadline(); ok {
		left = time.Until(deadline)
	}
	cmd := exec.Command(binary, "-test.run", "^"+t.Name()+"$", "-test.v", fmt.Sprint("-test.timeout=", left), fmt.Sprint("-test.short=", testing.Short()))
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()+" ") {
		t.Errorf("without the race detector: %v\n%s", err, out)
	}
	return true
}
