package atomicfile

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"handoff/internal/needs"
)

func TestWriteInStaysInside(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	needs.Symlink(t, outside, filepath.Join(dir, "out"))
	if err := WriteIn(root, "out/f", []byte("x"), 0o644); err == nil {
		t.Error("wrote through a link that leads out")
	}
	if err := MkdirAllIn(root, "out/a/b", 0o755); err == nil {
		t.Error("made folders through a link that leads out")
	}
	if list, _ := os.ReadDir(outside); len(list) != 0 {
		t.Errorf("outside now holds %v", list)
	}
}

func TestWriteIn(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for range 2 {
		if err := MkdirAllIn(root, "a/b", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"old", "new"} {
		if err := WriteIn(root, "a/b/f", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "a/b/f")); string(got) != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
	onlyFile(t, filepath.Join(dir, "a/b"), "f")
	if err := WriteIn(root, "a/b", []byte("x"), 0o644); err == nil {
		t.Error("a folder was replaced by a file")
	}
	onlyFile(t, filepath.Join(dir, "a"), "b")
}

func TestStreamIn(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, text := range []string{"old", "new"} {
		err := StreamIn(root, ".", 0o644, func(w io.Writer) (string, error) {
			_, err := io.WriteString(w, text)
			return "f", err
		})
		if got, _ := os.ReadFile(filepath.Join(dir, "f")); string(got) != text || err != nil {
			t.Errorf("%q, %v; want %q", got, err, text)
		}
	}
	if err := StreamIn(root, ".", 0o644, func(io.Writer) (string, error) { return "", nil }); err != nil {
		t.Error(err)
	}
	if err := StreamIn(root, ".", 0o644, func(io.Writer) (string, error) { return "g", io.ErrUnexpectedEOF }); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
	onlyFile(t, dir, "f")
}
