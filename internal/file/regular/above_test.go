package regular

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestAbove(t *testing.T) {
	top := filepath.VolumeName(t.TempDir()) + string(filepath.Separator)
	dir := filepath.Join(top, "a", "b")
	if got, want := slices.Collect(Above(dir)), []string{dir, filepath.Join(top, "a"), top}; !slices.Equal(got, want) {
		t.Errorf("Above(%q) = %q, want %q", dir, got, want)
	}
	if got, want := slices.Collect(Above("a")), []string{"a", "."}; !slices.Equal(got, want) {
		t.Errorf("Above of a relative path = %q, want %q", got, want)
	}
	for up := range Above(dir) {
		if up != dir {
			t.Errorf("went on to %q after the end", up)
		}
		break
	}
}

func TestHolding(t *testing.T) {
	dir := t.TempDir()
	outer, inner, below := filepath.Join(dir, "outer"), filepath.Join(dir, "outer", "in"), filepath.Join(dir, "outer", "in", "below")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	const name = "mark of a test"
	if got := Holding(below, name); got != "" {
		t.Errorf("found %q before it exists", got)
	}
	// What an entry is does not matter: a worktree has a file, and a dangling link counts too.
	if err := os.WriteFile(filepath.Join(outer, name), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Holding(below, name); got != outer {
		t.Errorf("got %q, want %q", got, outer)
	}
	if err := os.Mkdir(filepath.Join(inner, name), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{below, inner} {
		if got := Holding(from, name); got != inner {
			t.Errorf("from %q: got %q, want the nearest, %q", from, got, inner)
		}
	}
}
