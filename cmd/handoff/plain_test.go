package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// withoutRace runs a test of thousands of commands, one at a time, in a test
// binary without the race detector, which makes them several times as slow and
// has little to find: TestScript runs the same commands with it. It reports
// whether it did; where there is no race detector the test itself goes on.
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
