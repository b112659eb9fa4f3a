package regular

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"handoff/internal/testing/needs"
)

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	const many = 1000 // more than fit into one buffer
	for i := range many {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%060d.md", i)), fmt.Appendf(nil, "%060d.md", i), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	large := bytes.Repeat([]byte("x"), 100_000)
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "large"), large, 0o644), os.Mkdir(filepath.Join(dir, "sub"), 0o755),
		os.WriteFile(filepath.Join(dir, "empty"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	read := func(name string, maxSize int64) (src []byte, err error) {
		err = f.Read(name, maxSize, func(b []byte) { src = append([]byte{}, b...) })
		return src, err
	}
	all, err := f.List(func([]byte) bool { return true })
	if err != nil || len(all) != many+3 {
		t.Fatalf("%d entries, %v", len(all), err)
	}
	again, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	documents, err := again.List(func(name []byte) bool { return bytes.HasSuffix(name, []byte(".md")) })
	if err != nil || len(documents) != many {
		t.Fatalf("%d documents, %v", len(documents), err)
	}
	for _, e := range documents {
		if src, err := read(e.Name, 100); err != nil || e.Kind != File || string(src) != e.Name {
			t.Fatalf("%s, kind %d: %q, %v", e.Name, e.Kind, src, err)
		}
	}
	if !slices.Contains(all, Entry{"sub", Dir}) || !slices.Contains(all, Entry{"large", File}) {
		t.Error("kinds are missing")
	}
	if src, err := read("large", 100_000); err != nil || !bytes.Equal(src, large) {
		t.Errorf("a large file: %d bytes, %v", len(src), err)
	}
	if _, err := read("large", 99_999); !errors.As(err, new(*TooLargeError)) {
		t.Errorf("a file over the limit: %v", err)
	}
	if src, err := read("empty", 10); err != nil || src == nil || len(src) > 0 {
		t.Errorf("an empty file: %v, %v", src, err)
	}
	if _, err := read("gone", 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestNoLinks(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.Mkdir(at("sub"), 0o755), os.WriteFile(at("file"), []byte("x"), 0o644)); err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, "sub", at("to-sub"))
	needs.Symlink(t, "file", at("to-file"))
	needs.Symlink(t, "gone", at("to-gone"))
	for name, want := range map[string]Kind{"sub": Dir, "file": File, "to-sub": Link, "to-file": Link, "to-gone": Link, "gone": Nothing} {
		if got := KindOf(at(name)); got != want {
			t.Errorf("%s: kind %d, want %d", name, got, want)
		}
	}
	f, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Read("to-file", 10, func([]byte) { t.Error("read a link") }); !errors.Is(err, ErrLink) {
		t.Errorf("a link in a folder: %v", err)
	}
	needs.Linux(t, "other systems have no stamps")
	was, ok, err := f.Stamp("file")
	if err != nil || !ok || was.Size != 1 || was.Inode == 0 || was.Modified().IsZero() || was.Changed().Before(was.Modified()) {
		t.Errorf("%+v, %v, %v", was, ok, err)
	}
	if err := os.Chmod(at("file"), 0o600); err != nil {
		t.Fatal(err)
	}
	if now, _, err := f.Stamp("file"); err != nil || now.Inode != was.Inode || now.ModTime != was.ModTime || now.ChangeTime < was.ChangeTime {
		t.Errorf("%+v, %v", now, err)
	}
	for _, name := range []string{"sub", "to-file", "to-gone", "gone"} {
		if _, ok, err := f.Stamp(name); ok || err == nil {
			t.Errorf("%s has a stamp", name)
		}
	}
}

func TestUnlinked(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.Mkdir(at("sub"), 0o755), os.WriteFile(at("file"), []byte("x"), 0o644)); err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, "sub", at("to-sub"))
	needs.Symlink(t, "file", at("to-file"))
	if _, err := ReadUnlinked(at("to-file"), nil, 10); !errors.Is(err, ErrLink) {
		t.Errorf("a link: %v", err)
	}
	if src, err := ReadUnlinked(at("file"), nil, 10); err != nil || string(src) != "x" {
		t.Errorf("a file: %q, %v", src, err)
	}
	if _, err := OpenFolder(at("to-sub")); !errors.Is(err, ErrLink) {
		t.Errorf("a link to a folder: %v", err)
	}
	if _, err := OpenFolder(at("gone")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if f, err := OpenFolder(at("file")); err == nil { // except on Linux, List reports it
		if _, err = f.List(func([]byte) bool { return true }); err == nil {
			t.Error("a file was opened as a folder")
		}
	} else if errors.Is(err, ErrLink) {
		t.Error("the error of a file is that of a link")
	}
}
