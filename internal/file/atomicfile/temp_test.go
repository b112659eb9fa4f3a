package atomicfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/testing/needs"
)

var noon = time.Date(2026, 2, 12, 12, 0, 0, 0, time.UTC)

func TestSweep(t *testing.T) {
	needs.Unix(t, "processes cannot be asked for on Windows")
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	dead := strconv.Itoa(cmd.Process.Pid)
	alive := strconv.Itoa(os.Getppid())
	dir := t.TempDir()
	for name, want := range map[string]bool{
		TempPrefix + machine() + "-" + dead + "-x":  false,
		TempPrefix + machine() + "-" + alive + "-x": true,
		tempName():                          true,
		TempPrefix + "other-" + dead + "-x": true, // of another machine
		TempPrefix + "1234":                 true, // of an older version
		"notes":                             true,
		TempPrefix + "other-1-old":          false,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if name == TempPrefix+"other-1-old" {
			if err := os.Chtimes(path, time.Time{}, time.Now().Add(-2*time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		Sweep(nofollow.Named, dir)
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: there %v, want %v", name, err == nil, want)
		}
	}
}
