package journal

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFIFOsInTheIndex: a FIFO instead of a file of the index blocks nothing; the
// journal is read without an index.
func TestFIFOsInTheIndex(t *testing.T) {
	const n = 6000
	for i, more := 0, true; more; i++ {
		j := large(t, strict, n)
		answers(t, j, n)
		entries, err := os.ReadDir(j.Path() + ".idx")
		if err != nil || len(entries) < 4 {
			t.Fatal(entries, err)
		}
		path := filepath.Join(j.Path()+".idx", entries[i].Name())
		if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
			t.Fatal(err)
		}
		answers(t, reopen(t, j), n)
		answers(t, j, n)
		more = i+1 < len(entries)
	}
}
