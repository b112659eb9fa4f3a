package treetest_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
)

// listing describes everything below a folder.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := e.Info()
		if err != nil {
			return err
		}
		text, _ := os.ReadFile(path)
		leads, _ := os.Readlink(path)
		when := st.ModTime()
		if leads != "" {
			when = time.Time{} // not kept
		}
		rel, _ := filepath.Rel(dir, path)
		fmt.Fprintln(&all, rel, st.Mode(), when.UnixNano(), string(text), leads)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// TestMirror changes a copy in each way that a command can: each is undone, and what did not
// change is the same file as before.
func TestMirror(t *testing.T) {
	needs.Unix(t, "modes")
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	treetest.Write(t, from, "a/one", "1")
	treetest.Write(t, from, "a/two", "2")
	treetest.Write(t, from, "b/c/three", "3")
	os.Chmod(filepath.Join(from, "a/two"), 0o755)
	needs.Symlink(t, "a/one", filepath.Join(from, "link"))
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"a/one", "a/two", "b/c/three", "b", "a", "."} {
		if err := os.Chtimes(filepath.Join(from, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	treetest.Mirror(t, from, to)
	want := listing(t, from)
	if got := listing(t, to); got != want {
		t.Fatalf("got\n%s, want\n%s", got, want)
	}
	kept, err := os.Stat(filepath.Join(to, "b/c/three"))
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{
		"true", "echo x > a/one", "printf 9 > a/one", "chmod 600 a/two", "rm a/two", "rm -r a", "echo > new", "mkdir new; echo > new/f",
		"rm a/one; mkdir a/one", "rm -r a; echo > a", "rm link; ln -s a/two link", "rm link; mkdir link; echo > link/f", "rm a/two; ln -s one a/two",
		"rm -r a; ln -s b a", "chmod 700 a", "chmod 500 a", "touch a", "rm -r *",
	} {
		if change == "rm -r *" {
			now, err := os.Stat(filepath.Join(to, "b/c/three"))
			if err != nil || !os.SameFile(kept, now) {
				t.Errorf("a file that nothing changed is another: %v", err)
			}
		}
		cmd := exec.Command("sh", "-ec", change)
		cmd.Dir = to
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", change, err, out)
		}
		treetest.Mirror(t, from, to)
		if got := listing(t, to); got != want {
			t.Errorf("%s: got\n%s, want\n%s", change, got, want)
		}
	}
	if got := listing(t, from); got != want {
		t.Errorf("the original is\n%s, and was\n%s", got, want)
	}
}
