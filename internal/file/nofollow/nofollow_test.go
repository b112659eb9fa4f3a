package nofollow_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/internal/testing/needs"
)

var longAgo = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// operations are all operations that change the disk, with the path a/b/f below a
// root.
var operations = map[string]func(root nofollow.Root, path string) error{
	"append": func(root nofollow.Root, path string) error {
		return opened(root.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0))
	},
	"create": func(root nofollow.Root, path string) error {
		return opened(root.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644))
	},
	"truncate": func(root nofollow.Root, path string) error {
		return opened(root.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0))
	},
	"folder":  func(root nofollow.Root, path string) error { return root.Mkdir(path, 0o755) },
	"folders": func(root nofollow.Root, path string) error { return root.MkdirAll(path, 0o755) },
	"rename":  func(root nofollow.Root, path string) error { return root.Rename(string(root)+"/own", path) },
	"away":    func(root nofollow.Root, path string) error { return root.Rename(path, string(root)+"/own") },
	"link":    func(root nofollow.Root, path string) error { return root.Link(string(root)+"/own", path) },
	"remove":  func(root nofollow.Root, path string) error { return root.Remove(path) },
	"clear":   func(root nofollow.Root, path string) error { return root.RemoveAll(path) },
	"flush":   func(root nofollow.Root, path string) error { return root.Sync(path) },
	"exchange": func(root nofollow.Root, path string) error {
		d, name, err := root.Parent(path)
		if err != nil {
			return err
		}
		defer d.Close()
		if err := errors.Join(d.LinkTo(name, d, "other"), d.Exchange(name, d, "other")); !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
		return nil
	},
	"time": func(root nofollow.Root, path string) error {
		d, name, err := root.Parent(path)
		if err != nil {
			return err
		}
		defer d.Close()
		return d.Chtimes(name, longAgo)
	},
}

func opened(f *os.File, err error) error {
	if err != nil {
		return err
	}
	_, err = f.WriteString("new")
	return errors.Join(err, f.Close())
}

// TestNoLinkIsFollowed replaces each name of the path by a link: to something
// outside, to something inside, and a dangling one. Its target does not change, nor
// does its time.
func TestNoLinkIsFollowed(t *testing.T) {
	for name, do := range operations {
		for _, place := range []string{"a", "a/b", "a/b/f"} {
			for _, to := range []string{"outside", "inside", "nothing"} {
				dir, outside := t.TempDir(), t.TempDir()
				write(t, filepath.Join(dir, "own"), "own")
				target := filepath.Join(outside, to)
				if to == "inside" {
					target = filepath.Join(dir, to)
				}
				if to != "nothing" {
					write(t, target+strings.TrimPrefix("a/b/f", place), "old")
				}
				before := tree(t, outside) + tree(t, target)
				link := filepath.Join(dir, filepath.FromSlash(place))
				if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
					t.Fatal(err)
				}
				needs.Symlink(t, target, link)
				err := do(nofollow.Root(dir), filepath.Join(dir, "a", "b", "f"))
				if found := (*nofollow.LinkError)(nil); place != "a/b/f" && (!errors.As(err, &found) || found.Path != link || found.To != target) {
					t.Errorf("%s went through %s to %s: %v", name, place, to, err)
				}
				if after := tree(t, outside) + tree(t, target); after != before {
					t.Errorf("%s through %s to %s: was\n%sis\n%s", name, place, to, before, after)
				}
			}
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644), os.Chtimes(path, longAgo.Add(1e9), longAgo.Add(1e9)))
	if err != nil {
		t.Fatal(err)
	}
}

// tree is the whole content of a folder.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			b.WriteString(path + "\n")
			return nil
		}
		st, _ := e.Info()
		text, err := os.ReadFile(path)
		b.WriteString(path + " " + st.ModTime().String() + " " + string(text) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestBelow: without links, everything works as with package os, also if the path of
// the root is a link.
func TestBelow(t *testing.T) {
	real := t.TempDir()
	dir := filepath.Join(t.TempDir(), "link")
	needs.Symlink(t, real, dir)
	root := nofollow.Root(dir)
	f := filepath.Join(dir, "a", "b", "f")
	steps := []error{
		root.MkdirAll(filepath.Dir(f), 0o755), root.MkdirAll(filepath.Dir(f), 0o755), root.MkdirAll(dir, 0o755),
		opened(root.OpenFile(f, os.O_CREATE|os.O_WRONLY, 0o644)),
		root.Link(f, f+"2"), root.Rename(f+"2", filepath.Join(dir, "g")), root.Sync(dir), root.Mkdir(filepath.Join(dir, "h"), 0o755),
		root.Remove(filepath.Join(dir, "h")), root.RemoveAll(filepath.Join(dir, "a")), root.RemoveAll(filepath.Join(dir, "none")),
	}
	if err := errors.Join(steps...); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, real); !strings.HasSuffix(got, " new\n") || strings.Count(got, "\n") != 2 {
		t.Errorf("left:\n%s", got)
	}
	needs.Symlink(t, real, filepath.Join(real, "within"))
	if err := errors.Join(root.RemoveAll(filepath.Join(dir, "within")), root.Remove(filepath.Join(dir, "g"))); err != nil {
		t.Error(err)
	}
}

// TestBelowSpelledOtherwise: a path below the root may be spelled differently from
// the root.
func TestBelowSpelledOtherwise(t *testing.T) {
	dir := t.TempDir()
	if err := nofollow.Root(dir).Mkdir(filepath.Join(dir, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i, path := range []string{dir + "/a/b%d", dir + "//a//b%d", dir + "/./a/b%d", dir + "/../" + filepath.Base(dir) + "/a/b%d", dir + "/c/../a/b%d"} {
		if err := nofollow.Root(dir).Mkdir(fmt.Sprintf(path, i), 0o755); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(filepath.Join(dir, "a", fmt.Sprint("b", i))); err != nil {
			t.Error(err)
		}
	}
	for _, path := range []string{dir, dir + "/.", dir + "/a/..", dir + "//a", dir + "/../" + filepath.Base(dir) + "/a"} {
		d, err := nofollow.Root(dir).Dir(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		d.Close()
	}
}

// TestNotBelow: a path that is not below the root is an error.
func TestNotBelow(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "..", "x"), dir + "x", dir + "/a/../../x", "x"} {
		if err := nofollow.Root(dir).Mkdir(path, 0o755); err == nil {
			t.Errorf("%s was made", path)
		}
	}
	d, err := nofollow.Root(dir).Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, name := range []string{"", ".", "..", "a/b", "../x", "a\x00"} {
		if err := errors.Join(d.Mkdir(name, 0o755)); err == nil {
			t.Errorf("%q was made", name)
		}
		if err := d.Rename(name, "x"); err == nil {
			t.Errorf("%q was renamed", name)
		}
	}
}

// TestNamed: links in a path that the user named are followed.
func TestNamed(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	write(t, real, "old")
	needs.Symlink(t, real, link)
	if err := opened(nofollow.Named.OpenFile(link, os.O_WRONLY|os.O_TRUNC, 0)); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(real); string(got) != "new" {
		t.Errorf("%q", got)
	}
	d, name, err := nofollow.Root(dir).Parent(link)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Regular(name); !errors.Is(err, regular.ErrLink) {
		t.Error(err)
	}
}
