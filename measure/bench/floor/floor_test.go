//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The walk finds the same files as filepath.WalkDir: in many folders, in deep
// ones, and in files larger than a buffer.
func TestCountAgreesWithTheLibrary(t *testing.T) {
	root := t.TempDir()
	for i := range 300 {
		write(t, root, fmt.Sprintf("specs/%d_x/handoffs/phase-1.md", i), strings.Repeat("line\n", i))
		write(t, root, fmt.Sprintf("specs/%d_x/plans/plan.md", i), "not counted\n")
	}
	write(t, root, "specs/archive/old/9_y/handoffs/a.md", strings.Repeat("0123456789\n", 40000))
	write(t, root, "specs/archive/old/9_y/handoffs/later/handoffs/b.md", "no line end")
	write(t, root, "specs/archive/old/9_y/handoffs/later/c.md", "in a folder of another name\n")
	write(t, root, "handoffs/d.txt", "another suffix\n")
	write(t, root, "handoffs/"+strings.Repeat("n", 250)+".md", "long\nname\n")
	if err := os.Symlink("../specs/1_x/handoffs/phase-1.md", filepath.Join(root, "handoffs/link.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..", filepath.Join(root, "specs/loop")); err != nil {
		t.Fatal(err)
	}
	want := library(t, root)
	for workers := 1; workers <= 4; workers++ {
		got, err := count(root, workers)
		if err != nil || got != want {
			t.Errorf("%d workers: %+v, %v; want %+v", workers, got, err, want)
		}
	}
}

func library(t *testing.T, root string) (want total) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Base(filepath.Dir(path)) != handoffs || filepath.Ext(path) != ".md" {
			return err
		}
		b, err := os.ReadFile(path)
		want.files++
		want.bytes += len(b)
		want.lines += bytes.Count(b, []byte("\n"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return want
}

func write(t *testing.T, root, path, text string) {
	t.Helper()
	full := filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestMissingFolderIsSaid(t *testing.T) {
	if _, err := count(filepath.Join(t.TempDir(), "nowhere"), 2); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("error %v, want one that names the folder", err)
	}
}

func TestHandoffsFolderAsRoot(t *testing.T) {
	root := filepath.Join(t.TempDir(), handoffs)
	write(t, root, "a.md", "one\ntwo\n")
	t.Chdir(root)
	for _, arg := range []string{root, ".", root + "/"} {
		got, err := count(arg, 1)
		if want := (total{1, 2, 8}); err != nil || got != want {
			t.Errorf("count(%q) = %+v, %v; want %+v", arg, got, err, want)
		}
	}
}
