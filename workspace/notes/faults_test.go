package notes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/workspace/notes"
)

var noon = time.Date(2026, 2, 12, 12, 0, 0, 0, time.UTC)

func TestTheLastAreKept(t *testing.T) {
	root := t.TempDir()
	l, err := notes.OpenLog(root)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := l.Read(); len(list) != 0 || err != nil {
		t.Errorf("before the first: %v, %v", list, err)
	}
	key := "sk-ant-api03-" + strings.Repeat("aB3dE5gH7j", 9) + "-abcdefAA"
	for i := range 60 {
		f := notes.Fault{At: noon.Add(time.Duration(i) * time.Second), Host: "claude", Event: "stop", Error: fmt.Sprintf("error %d\nof %s %s", i, key, strings.Repeat("x", 2000))}
		if err := l.Add(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	list, err := l.Read()
	if err != nil || len(list) != 50 || !strings.HasPrefix(list[0].Error, "error 10 of") || !strings.HasPrefix(list[49].Error, "error 59 of") {
		t.Errorf("%d, %v, %v", len(list), list, err)
	}
	for _, f := range list {
		if strings.Contains(f.Error, key) || strings.ContainsAny(f.Error, "\n\x1b") || len(f.Error) > 600 {
			t.Errorf("%q", f.Error)
		}
	}
}

// TestDamageIsSetAside: the next error is recorded, and what was damaged is kept.
func TestDamageIsSetAside(t *testing.T) {
	root := t.TempDir()
	l, err := notes.OpenLog(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Add(t.Context(), notes.Fault{At: noon, Error: "a"}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.Path(), []byte("[{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Read(); err == nil || !strings.Contains(err.Error(), filepath.Base(l.Path())) {
		t.Errorf("damaged: %v", err)
	}
	if err := l.Add(t.Context(), notes.Fault{At: noon, Error: "b"}); err != nil {
		t.Fatal(err)
	}
	if list, err := l.Read(); err != nil || len(list) != 1 || list[0].Error != "b" {
		t.Errorf("%v, %v", list, err)
	}
	if src, err := os.ReadFile(l.Path() + ".aside-1"); string(src) != "[{" {
		t.Errorf("the damaged file: %q, %v", src, err)
	}
}
