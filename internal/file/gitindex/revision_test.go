package gitindex

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRevisions(t *testing.T) {
	dir := repository(t)
	if _, err := Resolve(t.Context(), dir, "HEAD"); !errors.Is(err, ErrNoCommit) {
		t.Errorf("before the first commit: %v", err)
	}
	write(t, dir, "a b.txt", "one\n")
	write(t, dir, "sub/c.txt", "two\n")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "first")
	first := strings.TrimSpace(git(t, dir, "rev-parse", "HEAD"))
	git(t, dir, "checkout", "-q", "-b", "side")
	write(t, dir, "a b.txt", "other\n")
	git(t, dir, "commit", "-qam", "aside")
	side := strings.TrimSpace(git(t, dir, "rev-parse", "HEAD"))
	git(t, dir, "checkout", "-q", "-b", "work", first)

	if id, err := Resolve(t.Context(), dir, first[:8]); id != first || err != nil {
		t.Errorf("%s, %v", id, err)
	}
	for _, commit := range []string{side, "0123456789", "HEAD^"} {
		if id, err := Resolve(t.Context(), dir, commit); !errors.Is(err, ErrNoCommit) {
			t.Errorf("%s: %s, %v", commit, id, err)
		}
	}
	write(t, dir, "sub/c.txt", "changed\n")
	write(t, dir, "sub/new.txt", "new\n")
	if err := os.Remove(filepath.Join(dir, "a b.txt")); err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(dir, "sub")
	for _, c := range []struct {
		name string
		got  func() ([]string, error)
		want []string
	}{
		{"differing", func() ([]string, error) { return Differing(t.Context(), dir, first) }, []string{"a b.txt", "sub/c.txt"}},
		{"differing below", func() ([]string, error) { return Differing(t.Context(), sub, first) }, []string{"c.txt"}},
	} {
		if got, err := c.got(); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
	if text, ok, err := Content(t.Context(), sub, first, "c.txt"); string(text) != "two\n" || !ok || err != nil {
		t.Errorf("%q %v %v", text, ok, err)
	}
	if _, ok, err := Content(t.Context(), sub, first, "none.txt"); ok || err != nil {
		t.Errorf("a missing file: %v %v", ok, err)
	}
	if _, err := Resolve(t.Context(), t.TempDir(), first); !errors.Is(err, ErrNoRepository) {
		t.Errorf("no repository: %v", err)
	}
}
