package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
)

func TestSwap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := Swap(nofollow.Named, path, []byte("old"), []byte("new"), 0o644); !errors.Is(err, ErrChanged) {
		t.Errorf("without a file: %v", err)
	}
	if err := Swap(nofollow.Named, path, nil, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Swap(nofollow.Named, path, nil, []byte("two"), 0o600); !errors.Is(err, ErrChanged) {
		t.Errorf("with a file: %v", err)
	}
	if err := Swap(nofollow.Named, path, []byte("other"), []byte("two"), 0o600); !errors.Is(err, ErrChanged) {
		t.Errorf("with other content: %v", err)
	}
	if err := Swap(nofollow.Named, path, []byte("one"), []byte("two"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(path)
	st, _ := os.Stat(path)
	if string(got) != "two" || st.Mode() != 0o600 {
		t.Errorf("%q, mode %v", got, st.Mode())
	}
	onlyFile(t, filepath.Dir(path), "f")
}

// TestSwapAgainstStranger swaps a file that another writer rewrites repeatedly, in
// place and by rename, without any cooperation. None of its lines may be lost.
func TestSwapAgainstStranger(t *testing.T) {
	needs.Linux(t, "other systems do not tell who has a file open")
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const lines = 200
	done := make(chan error)
	go func() { done <- strange(path, lines) }()
	swaps, conflicts := 0, 0
	for running := true; running; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			running = false
		default:
		}
		old, err := os.ReadFile(path)
		if err != nil || !bytes.HasSuffix(old, []byte("\n")) {
			continue // in the middle of the stranger's write
		}
		switch err := Swap(nofollow.Named, path, old, append(old, "ours\n"...), 0o644); {
		case err == nil:
			swaps++
		case errors.Is(err, ErrChanged):
			conflicts++
		default:
			t.Fatal(err)
		}
	}
	got, _ := os.ReadFile(path)
	if want := fmt.Sprintf("stranger %d\n", lines-1); !strings.Contains(string(got), want) {
		t.Errorf("the stranger's last line is lost:\n%s", got)
	}
	if swaps == 0 {
		t.Error("no swap succeeded")
	}
	t.Logf("%d swaps, %d conflicts", swaps, conflicts)
	onlyFile(t, filepath.Dir(path), "f")
}

// strange rewrites the file with a new line each time, alternately by truncating the
// file and by renaming another file over it.
func strange(path string, lines int) error {
	for i := range lines {
		text := fmt.Appendf(nil, "stranger %d\n", i)
		if i%2 == 0 {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				return err
			}
		} else {
			side := filepath.Join(filepath.Dir(filepath.Dir(path)), "side")
			if err := errors.Join(os.WriteFile(side, text, 0o644), os.Rename(side, path)); err != nil {
				return err
			}
		}
		if err := appears(path, text); err != nil {
			return err
		}
	}
	return nil
}

// appears waits until the file begins with text. A swap that finds the stranger's
// content after the exchange takes a moment to put it back.
func appears(path string, text []byte) error {
	var got []byte
	for end := waittest.Deadline(); time.Now().Before(end); {
		var err error
		if got, err = os.ReadFile(path); err != nil {
			return err
		}
		if bytes.HasPrefix(got, text) {
			return nil
		}
	}
	return fmt.Errorf("%q was written, the file holds %q", text, got)
}
