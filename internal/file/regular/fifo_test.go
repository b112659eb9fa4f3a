//go:build unix

package regular

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"handoff/internal/testing/needs"
)

func TestReadFIFO(t *testing.T) {
	p := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(p, 0o644); err != nil {
		needs.Missing(t, "fifo", err.Error())
	}
	if _, err := Read(p, nil, 1000); !errors.Is(err, ErrNotRegular) { // and returns at all
		t.Errorf("a FIFO without a writer: %v", err)
	}
}
