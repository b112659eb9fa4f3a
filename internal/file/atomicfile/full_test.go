package atomicfile

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"handoff/internal/file/nofollow"
	"handoff/internal/testing/needs"
)

// TestFullDisk writes on a full disk.
func TestFullDisk(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "f")
	if err := Write(nofollow.Named, path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	needs.FullDisk(t, cmd)
	cmd.Env = append(os.Environ(), "ATOMICFILE_TEST_WRITE="+path)
	out, err := cmd.CombinedOutput()
	if err == nil || string(out) != "write "+path+": file too large\n" {
		t.Fatalf("the write did not fail as a full disk does: %v, %s", err, out)
	}
	if got, _ := os.ReadFile(path); !bytes.Equal(got, []byte("old")) {
		t.Errorf("the old content became %q", got)
	}
	onlyFile(t, filepath.Dir(path), "f")
}
