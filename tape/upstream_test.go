package tape

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"handoff"
	"handoff/internal/journal"
)

// upstream is a log in memory, and a file that is a copy of it.
type upstream struct {
	path  string
	lines []string
}

func (u *upstream) CatchUp(context.Context) (uint64, error) { return uint64(len(u.lines)), nil }
func (u *upstream) Fetch(context.Context) error {
	return &os.PathError{Op: "open", Path: u.path, Err: os.ErrNotExist}
}
func (u *upstream) Watch(context.Context) {}
func (u *upstream) Append(_ context.Context, length uint64, records [][]byte) error {
	if length != uint64(len(u.lines)) {
		return journal.ErrConflict
	}
	for _, r := range records {
		u.lines = append(u.lines, string(r)+"\n")
	}
	return nil
}

// Tapes of a store are created, appended to, handed off and forked, and refuse what would
// replace their file before anything is written.
func TestTapesOfAStore(t *testing.T) {
	folder, logs := t.TempDir(), map[string]*upstream{}
	s, err := Open(folder, Options{Upstream: func(path string) journal.Upstream {
		if rel, err := filepath.Rel(folder, path); err != nil || !Owns(filepath.ToSlash(rel)) {
			return nil
		}
		if logs[path] == nil {
			logs[path] = &upstream{path: path}
		}
		return logs[path]
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	main, err := s.Tape(Main)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := main.Handoff(t.Context(), "phase-1", nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := main.Fork(t.Context(), ForkRequest{To: "child"}); err != nil {
		t.Fatal(err)
	}
	child, _ := s.Tape("child")
	for name, change := range map[string]func() error{
		"reset":       func() error { _, err := main.Reset(t.Context(), ResetRequest{}); return err },
		"delete":      func() error { _, err := main.Delete(t.Context(), DeleteRequest{}); return err },
		"merge":       func() error { _, err := child.Merge(t.Context(), MergeRequest{}); return err },
		"discard":     func() error { _, err := child.Discard(t.Context(), "why"); return err },
		"create bare": func() error { _, err := main.Create(true); return err },
	} {
		if err := change(); !errors.Is(err, ErrCopy) || !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(logs) != 2 {
		t.Errorf("%d logs", len(logs))
	}
	for path, log := range logs {
		var want string
		for _, line := range log.lines {
			want += line
		}
		if got, err := os.ReadFile(path); string(got) != want || want == "" {
			t.Errorf("%s has %q, the store %q: %v", path, got, want, err)
		}
	}
}
