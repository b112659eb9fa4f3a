package regular

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// made creates files, and folders whose name ends with a slash, below a folder.
func made(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		folder := filepath.Dir(path)
		if name[len(name)-1] == '/' {
			folder = path
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if folder != path {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func repository(at string) map[string]string {
	return map[string]string{at + "HEAD": "ref: refs/heads/main\n", at + "objects/": "", at + "refs/": ""}
}

func TestHasGit(t *testing.T) {
	main := t.TempDir()
	made(t, main, repository(".git/"))
	made(t, main, map[string]string{".git/worktrees/w/HEAD": "ref: x\n", ".git/worktrees/w/commondir": "../..\n", ".git/modules/m/config": ""})
	made(t, main, repository(".git/modules/m/"))
	for name, c := range map[string]struct {
		files map[string]string
		want  bool
	}{
		"nothing":                   {map[string]string{"a/": ""}, false},
		"a repository":              {repository(".git/"), true},
		"an empty folder":           {map[string]string{".git/": ""}, false},
		"no refs":                   {map[string]string{".git/HEAD": "x", ".git/objects/": ""}, false},
		"objects is a file":         {map[string]string{".git/HEAD": "x", ".git/objects": "", ".git/refs/": ""}, false},
		"a linked worktree":         {map[string]string{".git": "gitdir: " + filepath.ToSlash(main) + "/.git/worktrees/w\n"}, true},
		"a submodule":               {map[string]string{".git": "gitdir: " + filepath.ToSlash(main) + "/.git/modules/m\n"}, true},
		"a file that names nothing": {map[string]string{".git": "gitdir: ../nowhere\n"}, false},
		"another file":              {map[string]string{".git": "hello\n"}, false},
	} {
		dir := t.TempDir()
		made(t, dir, c.files)
		if got := HasGit(dir); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestCeilings: the search ends where git's does. The folder in which it begins is no ceiling.
func TestCeilings(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	made(t, dir, map[string]string{"outer/a/b/c/": ""})
	outer := filepath.Join(dir, "outer")
	if out, err := exec.Command("git", "init", "-q", outer).CombinedOutput(); err != nil {
		t.Skipf("git: %v %s", err, out)
	}
	if err := os.Symlink(outer, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	from := filepath.Join(outer, "a", "b")
	for _, ceiling := range []string{"", dir, outer, filepath.Join(outer, "a"), from, filepath.Join(from, "c"), filepath.Join(dir, "link"), filepath.Join(outer, "missing"), "outer",
		filepath.Join(outer, "missing") + string(filepath.ListSeparator) + filepath.Join(outer, "a")} {
		t.Setenv("GIT_CEILING_DIRECTORIES", ceiling)
		cmd := exec.Command("git", "rev-parse", "--show-toplevel")
		cmd.Dir = from
		out, _ := cmd.Output() // it fails if there is none
		if got, want := GitTop(from), strings.TrimSpace(string(out)); got != filepath.FromSlash(want) {
			t.Errorf("ceiling %q: the top is %q, for git %q", ceiling, got, want)
		}
	}
}

func TestProject(t *testing.T) {
	dir := t.TempDir()
	made(t, dir, repository("outer/.git/"))
	made(t, dir, repository("outer/a/inner/.git/"))
	made(t, dir, map[string]string{"outer/a/inner/b/c/": "", "outer/empty/.git/": "", "outer/empty/x/": ""})
	outer, inner := filepath.Join(dir, "outer"), filepath.Join(dir, "outer", "a", "inner")
	below := filepath.Join(inner, "b", "c")
	if got, want := slices.Collect(Project(below)), []string{below, filepath.Dir(below), inner}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for from, want := range map[string]string{below: inner, inner: inner, filepath.Dir(inner): outer, filepath.Join(outer, "empty", "x"): outer, outer: outer} {
		if got := GitTop(from); got != want {
			t.Errorf("from %s: the top is %s, want %s", from, got, want)
		}
	}
	for up := range Project(below) {
		if up != below {
			t.Errorf("went on to %q after the end", up)
		}
		break
	}
}

// TestProjectOfMissingFolder: a file that is not saved yet, in a folder that does not exist yet, has the project of
// the folders above, also below a ceiling.
func TestProjectOfMissingFolder(t *testing.T) {
	root := t.TempDir()
	top := filepath.Join(root, "top")
	made(t, top, repository(".git/"))
	t.Setenv("GIT_CEILING_DIRECTORIES", root)
	if got := GitTop(filepath.Join(top, "a", "b")); got != top {
		t.Errorf("%q", got)
	}
	t.Setenv("GIT_CEILING_DIRECTORIES", top)
	if got := GitTop(filepath.Join(top, "a", "b")); got != "" {
		t.Errorf("above the ceiling: %q", got)
	}
}
