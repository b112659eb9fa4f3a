package rules_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/workspace/reconcile/rules"
)

// TestOutside follows symlinks to files and folders, relative and absolute, with
// and without a file at their end.
func TestOutside(t *testing.T) {
	base := t.TempDir()
	root := filepath.Join(base, "root")
	for _, dir := range []string{"root/specs/1_a", "out"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.WriteFile(filepath.Join(root, "specs/1_a/file.md"), nil, 0o644), os.WriteFile(filepath.Join(base, "out/file.md"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	disk := rules.DiskOf(root)
	for _, test := range []struct {
		target string
		want   bool
	}{
		{"file.md", false},
		{"missing.md", false},
		{"../missing.md", false},
		{"../../../out/file.md", true},
		{"../../../out/missing.md", true},
		{filepath.Join(root, "specs/1_a/file.md"), false},
		{filepath.Join(root, "missing.md"), false},
		{filepath.Join(base, "out/file.md"), true},
		{filepath.Join(base, "out/missing.md"), true},
		{filepath.Join(base, "out"), true},
	} {
		link := filepath.Join(root, "specs/1_a/link")
		os.Remove(link)
		needs.Symlink(t, test.target, link)
		if got := disk.Outside("specs/1_a/link"); got != test.want {
			t.Errorf("a symlink to %s leads out: %t, want %t", test.target, got, test.want)
		}
	}
	other := filepath.Join(base, "other")
	needs.Symlink(t, root, other)
	if rules.DiskOf(other).Outside("specs/1_a/file.md") {
		t.Error("in a workspace that is itself a symlink, a file leads out")
	}
	for _, path := range []string{"specs/1_a/file.md", "specs/1_a/missing.md", "specs/2_b/missing.md"} {
		if disk.Outside(path) {
			t.Errorf("%s leads out", path)
		}
	}
}

func TestFolder(t *testing.T) {
	root := t.TempDir()
	if err := errors.Join(os.MkdirAll(filepath.Join(root, "specs/1_a"), 0o755), os.WriteFile(filepath.Join(root, "specs/x.md"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	disk := rules.DiskOf(root)
	for path, want := range map[string]bool{"specs": true, "specs/1_a": true, "specs/x.md": false, "specs/2_b": false, "../": false, "/": false} {
		if got := disk.Folder(path); got != want {
			t.Errorf("folder %s: %t, want %t", path, got, want)
		}
	}
	if names := disk.Names("specs"); !slices.Equal(names, []string{"1_a", "x.md"}) {
		t.Errorf("names %q", names)
	}
}
