package nofollow_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/internal/testing/needs"
)

// TestReadFile replaces each name of a path by a link: one that stays in the folder
// is followed, one that leads out is an error with its path. The path of the folder
// contains a link.
func TestReadFile(t *testing.T) {
	for _, place := range []string{"a", "a/b", "a/b/f"} {
		for what, target := range map[string]func(dir, outside string) string{
			"out":             func(_, outside string) string { return outside },
			"out, relative":   func(dir, outside string) string { return relative(t, filepath.Join(dir, filepath.Dir(place)), outside) },
			"out, to nothing": func(_, outside string) string { return outside + "-nothing" },
			"out, in two":     func(dir, _ string) string { return filepath.Join(dir, "second") },
			"in":              func(dir, _ string) string { return filepath.Join(dir, "in") },
			"in, relative": func(dir, _ string) string {
				return relative(t, filepath.Join(dir, filepath.Dir(place)), filepath.Join(dir, "in"))
			},
			"in, to nothing":   func(dir, _ string) string { return filepath.Join(dir, "nothing") },
			"in, to itself":    func(dir, _ string) string { return filepath.Join(dir, place) },
			"in, through root": func(dir, _ string) string { return filepath.Join(dir, "self", "in") },
		} {
			t.Run(place+" "+what, func(t *testing.T) {
				real, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				dir, outside := filepath.Join(real, "dir"), filepath.Join(real, "outside")
				root := filepath.Join(real, "root")
				below, _ := filepath.Rel(filepath.FromSlash(place), filepath.FromSlash("a/b/f"))
				write(t, filepath.Join(outside, below), "secret")
				write(t, filepath.Join(dir, "in", below), "text")
				write(t, filepath.Join(dir, filepath.Dir(place), "beside"), "")
				needs.Symlink(t, dir, root)
				needs.Symlink(t, outside, filepath.Join(dir, "second"))
				needs.Symlink(t, ".", filepath.Join(dir, "self"))
				link := filepath.Join(root, filepath.FromSlash(place))
				to := target(dir, outside)
				needs.Symlink(t, to, link)
				got, err := nofollow.Root(root).ReadFile(filepath.Join(root, "a", "b", "f"), 100)
				_, inErr := nofollow.Root(root).Inside(filepath.Join(root, "a", "b", "f"))
				_, strictErr := nofollow.Root(root).ReadUnlinked(filepath.Join(root, "a", "b", "f"), 100)
				var found *nofollow.LinkError
				switch what {
				case "out", "out, relative", "out, to nothing", "out, in two":
					if !errors.As(err, &found) || found.Path != link || found.To != to || !found.Out || !errors.As(inErr, &found) {
						t.Errorf("%q, %v, %v", got, err, inErr)
					}
				case "in, to nothing":
					if !errors.Is(err, fs.ErrNotExist) || !errors.Is(inErr, fs.ErrNotExist) {
						t.Errorf("%q, %v, %v", got, err, inErr)
					}
				case "in, to itself":
					if err == nil || errors.As(err, &found) || inErr == nil {
						t.Errorf("%q, %v, %v", got, err, inErr)
					}
				default:
					if string(got) != "text" || err != nil || inErr != nil {
						t.Errorf("%q, %v, %v", got, err, inErr)
					}
				}
				if !errors.As(strictErr, &found) || found.Out {
					t.Errorf("a link was followed: %v", strictErr)
				}
			})
		}
	}
}

func relative(t *testing.T, from, to string) string {
	t.Helper()
	rel, err := filepath.Rel(from, to)
	if err != nil {
		t.Fatal(err)
	}
	return rel
}

func TestReadFileWithoutLinks(t *testing.T) {
	dir := t.TempDir()
	root, path := nofollow.Root(dir), filepath.Join(dir, "a", "f")
	write(t, path, "text")
	for max, want := range map[int64]bool{3: false, 4: true, 5: true} {
		if got, err := root.ReadFile(path, max); (err == nil && string(got) == "text") != want {
			t.Errorf("at most %d bytes: %q, %v", max, got, err)
		}
	}
	if _, err := root.ReadFile(filepath.Join(dir, "a"), 9); !errors.Is(err, regular.ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	for _, path := range []string{filepath.Join(dir, "none"), filepath.Join(dir, "none", "f")} {
		if _, err := root.ReadFile(path, 9); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := root.Inside(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := root.ReadFile(filepath.Join(dir, "..", "x"), 9); err == nil {
		t.Error("a path that is not below was read")
	}
	link := filepath.Join(t.TempDir(), "link")
	needs.Symlink(t, path, link)
	if got, err := nofollow.Named.ReadFile(link, 9); err != nil || string(got) != "text" {
		t.Errorf("what the user named: %q, %v", got, err)
	}
}
