package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/file/nofollow"
	"handoff/internal/testing/needs"
)

func open(t *testing.T, dir string) *nofollow.Dir {
	t.Helper()
	d, err := nofollow.Root(dir).Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// TestNoLinkIsFollowed replaces the file and each folder above it by a link: one
// that leads out, one that stays inside, and a dangling one.
func TestNoLinkIsFollowed(t *testing.T) {
	writers := map[string]func(root nofollow.Root, path string) error{
		"Write":  func(root nofollow.Root, path string) error { return Write(root, path, []byte("new"), 0o644) },
		"Create": func(root nofollow.Root, path string) error { return Create(root, path, []byte("new"), 0o644) },
		"Swap": func(root nofollow.Root, path string) error {
			return Swap(root, path, []byte("old"), []byte("new"), 0o644)
		},
		"Swap of nothing": func(root nofollow.Root, path string) error { return Swap(root, path, nil, []byte("new"), 0o644) },
		"Begin": func(root nofollow.Root, path string) error {
			p, err := Begin(root, path, 0o644)
			if err != nil {
				return err
			}
			return p.Commit()
		},
		"MkdirAll": func(root nofollow.Root, path string) error { return MkdirAll(root, path, 0o755) },
	}
	for name, write := range writers {
		for _, place := range []string{"a", "a/b", "a/b/f"} {
			for _, to := range []string{"", "inside", "nothing"} {
				dir, outside := t.TempDir(), t.TempDir()
				target := filepath.Join(outside, "target")
				switch to {
				case "inside":
					target = filepath.Join(dir, "target")
				case "nothing":
					target = filepath.Join(outside, "nothing")
				}
				victim := filepath.Join(target, strings.TrimPrefix("a/b/f", place))
				if to != "nothing" {
					if err := errors.Join(os.MkdirAll(filepath.Dir(victim), 0o755), os.WriteFile(victim, []byte("old"), 0o644)); err != nil {
						t.Fatal(err)
					}
				}
				link := filepath.Join(dir, place)
				if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
					t.Fatal(err)
				}
				needs.Symlink(t, target, link)
				err := write(nofollow.Root(dir), filepath.Join(dir, "a/b/f"))
				if err == nil {
					t.Errorf("%s wrote through %s to %s", name, place, to)
				}
				got, err := os.ReadFile(victim)
				if to == "nothing" && !errors.Is(err, fs.ErrNotExist) || to != "nothing" && string(got) != "old" {
					t.Errorf("%s through %s to %s: %q, %v", name, place, to, got, err)
				}
			}
		}
	}
}

func TestWriteIn(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		if err := MkdirAll(nofollow.Root(dir), filepath.Join(dir, "a/b"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"old", "new"} {
		if err := WriteIn(nofollow.Root(dir), open(t, filepath.Join(dir, "a/b")), "f", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "a/b/f")); string(got) != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
	onlyFile(t, filepath.Join(dir, "a/b"), "f")
	if err := WriteIn(nofollow.Root(dir), open(t, filepath.Join(dir, "a")), "b", []byte("x"), 0o644); err == nil {
		t.Error("a folder was replaced by a file")
	}
	onlyFile(t, filepath.Join(dir, "a"), "b")
}

func TestStreamIn(t *testing.T) {
	dir := t.TempDir()
	root := open(t, dir)
	for _, text := range []string{"old", "new"} {
		err := StreamIn(nofollow.Root(dir), root, 0o644, func(w io.Writer) (string, error) {
			_, err := io.WriteString(w, text)
			return "f", err
		})
		if got, _ := os.ReadFile(filepath.Join(dir, "f")); string(got) != text || err != nil {
			t.Errorf("%q, %v; want %q", got, err, text)
		}
	}
	if err := StreamIn(nofollow.Root(dir), root, 0o644, func(io.Writer) (string, error) { return "", nil }); err != nil {
		t.Error(err)
	}
	if err := StreamIn(nofollow.Root(dir), root, 0o644, func(io.Writer) (string, error) { return "g", io.ErrUnexpectedEOF }); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
	onlyFile(t, dir, "f")
}
