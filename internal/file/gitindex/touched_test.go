package gitindex

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
)

func TestTouched(t *testing.T) {
	dir := repository(t)
	if root, paths, err := Touched(t.Context(), dir); filepath.Base(root) != "work" || len(paths) > 0 || err != nil {
		t.Errorf("empty: %s %q %v", root, paths, err)
	}
	for _, name := range []string{"same.md", "gone.md", "w/moved é.md", "w/part.md", "w/[a]*.md"} {
		write(t, dir, name, "long enough to be found again: "+name)
	}
	git(t, dir, "add", ".")
	if _, paths, err := Touched(t.Context(), dir); len(paths) != 5 || err != nil {
		t.Errorf("before the first commit: %q %v", paths, err)
	}
	if InHead(t.Context(), dir, "same.md") {
		t.Error("in no commit yet")
	}
	git(t, dir, "commit", "-qm", "x")
	git(t, dir, "rm", "-q", "gone.md")
	git(t, dir, "mv", "w/moved é.md", "w/there.md")
	write(t, dir, "w/[a]*.md", "2")
	git(t, dir, "add", ".")
	write(t, dir, "w/part.md", "not staged")
	write(t, dir, "w/new.md", "not staged")
	below := filepath.Join(dir, "w")
	want := []string{"gone.md", "w/[a]*.md", "w/moved é.md", "w/there.md"}
	if root, paths, err := Touched(t.Context(), below); filepath.Base(root) != "work" || !slices.Equal(paths, want) || err != nil {
		t.Errorf("%s %q %v, want %q", root, paths, err, want)
	}
	for path, in := range map[string]bool{"gone.md": true, "w/moved é.md": true, "w/there.md": false, "w/new.md": false} {
		if InHead(t.Context(), below, path) != in {
			t.Errorf("%s: %v", path, !in)
		}
	}
	if _, _, err := Touched(t.Context(), t.TempDir()); !errors.Is(err, ErrNoRepository) {
		t.Error(err)
	}
}

func TestListed(t *testing.T) {
	dir := repository(t)
	write(t, dir, ".gitignore", "ignored/\n")
	for _, name := range []string{"w/a.md", "w/b/c.md", "w/new.md", "w.md", "w/ignored/x.md", "é \"q\".md"} {
		write(t, dir, name, name)
	}
	git(t, dir, "add", ".")
	git(t, dir, "rm", "-q", "--cached", "w/new.md")
	git(t, dir, "update-index", "--add", "--cacheinfo", "120000,"+git(t, dir, "hash-object", "-w", "w/a.md")[:40]+",w/link")
	git(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+git(t, dir, "hash-object", "w/a.md")[:40]+",w/module")
	list, err := Listed(t.Context(), filepath.Join(dir, "w", "b"), "w", "é \"q\".md", "none")
	var got []string
	for _, e := range list {
		name := e.Path
		if e.Link {
			name += " link"
		}
		if e.Module {
			name += " module"
		}
		got = append(got, name)
	}
	if want := []string{"w/a.md", "w/b/c.md", "w/link link", "w/module module", "é \"q\".md"}; !slices.Equal(got, want) || err != nil {
		t.Errorf("%q %v, want %q", got, err, want)
	}
	err = Contents(context.Background(), dir, list[:2], func(e Entry, src []byte) error {
		if string(src) != e.Path {
			t.Errorf("%s: %q", e.Path, src)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for path, want := range map[string]bool{"w/ignored/x.md": true, "w/new.md": false, "w/a.md": false, "w/ignored/none.md": false} {
		if ok, err := Ignored(t.Context(), filepath.Join(dir, "w"), path); ok != want || err != nil {
			t.Errorf("%s: %v %v", path, ok, err)
		}
	}
}
