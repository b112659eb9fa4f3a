package regular

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"handoff/internal/testing/needs"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, n int) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, bytes.Repeat([]byte("x"), n), 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	buf := make([]byte, 0, 64)
	for _, n := range []int{0, 1, 63, 64, 65, 1000} {
		got, err := Read(write("f", n), buf, 1000)
		if err != nil || len(got) != n {
			t.Errorf("%d bytes: read %d, %v", n, len(got), err)
		}
	}
	for _, n := range []int{0, 1, 64, 32<<10 - 1, 32 << 10, 32<<10 + 1, 100_000} {
		got, err := ReadUnlinked(write("f", n), buf, 100_000)
		if err != nil || len(got) != n || bytes.Count(got, []byte("x")) != n {
			t.Errorf("%d bytes of a file without a link: read %d, %v", n, len(got), err)
		}
	}
	var tooLarge *TooLargeError
	if _, err := Read(write("f", 1001), buf, 1000); !errors.As(err, &tooLarge) || tooLarge.Size != 1001 {
		t.Errorf("a file over the limit: %v", err)
	}
	if _, err := ReadUnlinked(write("f", 100_001), buf, 100_000); !errors.As(err, &tooLarge) || tooLarge.Size != 100_001 {
		t.Errorf("a file without a link over the limit: %v", err)
	}
	if _, err := Read(dir, buf, 1000); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Read(filepath.Join(dir, "gone"), buf, 1000); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestReadLoop(t *testing.T) {
	loop := filepath.Join(t.TempDir(), "loop")
	needs.Symlink(t, "loop", loop)
	if _, err := Read(loop, nil, 1000); err == nil {
		t.Error("a link to itself was read")
	}
}

func TestLook(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][2]bool{dir: {true, true}, "file": {true, false}, "gone": {false, false}, "gone/x": {false, false}} {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if exists, folder := Look(path); exists != want[0] || folder != want[1] {
			t.Errorf("%s: exists %v, folder %v", path, exists, folder)
		}
	}
}
