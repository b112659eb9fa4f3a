package documents

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"handoff/workspace"
	"handoff/workspace/config"
)

// TestSums: a file is read again if its size or time changed, or if it is so new that it
// may have changed without; else it is not.
func TestSums(t *testing.T) {
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	full := filepath.Join(w.Root, "HANDOFF.md")
	old := time.Now().Add(-time.Hour)
	var s Sums
	last := ""
	for i, step := range []struct {
		text string
		at   time.Time
		same bool
	}{
		{"a", old, false},
		{"b", old, true}, // nothing shows it
		{"b", old.Add(time.Second), false},
		{"bb", old.Add(time.Second), false},
		{"c", time.Now().Add(time.Hour), false},
		{"d", time.Now().Add(time.Hour), false},
	} {
		if err := errors.Join(os.WriteFile(full, []byte(step.text), 0o644), os.Chtimes(full, step.at, step.at)); err != nil {
			t.Fatal(err)
		}
		got, _, err := s.Of(w, "HANDOFF.md")
		if err != nil || (got == last) != step.same || len(got) != 64 {
			t.Errorf("step %d: %s after %s, %v", i, got, last, err)
		}
		last = got
	}
	if _, _, err := s.Of(w, "gone.md"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
