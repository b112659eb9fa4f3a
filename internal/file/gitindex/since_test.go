package gitindex

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"testing"
	"time"
)

// at commits everything in a repository at a time in seconds.
func at(t *testing.T, dir string, seconds int) {
	t.Helper()
	t.Setenv("GIT_COMMITTER_DATE", fmt.Sprintf("@%d +0000", seconds))
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "x")
}

// TestSince commits files before and after a report, in a folder of a repository.
func TestSince(t *testing.T) {
	dir := repository(t)
	for _, name := range []string{"w/before.go", "w/after.go", "w/[a]*.go", "w/é b.go", "elsewhere.go"} {
		write(t, dir, name, "1")
	}
	at(t, dir, 1000000000)
	write(t, dir, "w/before.go", "2")
	at(t, dir, 1000000100) // the second of the report
	write(t, dir, "w/before.go", "3")
	write(t, dir, "w/report.md", "1")
	at(t, dir, 1000000110) // with the report
	for i, name := range []string{"w/after.go", "w/after.go", "w/é b.go", "w/[a]*.go", "elsewhere.go", "w/folder/x.go"} {
		write(t, dir, name, fmt.Sprint("later", i))
		at(t, dir, 1000000200+i)
	}
	files := []string{"before.go", "after.go", "[a]*.go", "é b.go", "folder", "gone.go"}
	c, err := Since(context.Background(), filepath.Join(dir, "w"), time.Unix(1000000100, 5), "report.md", files)
	if want := map[string]int{"after.go": 2, "é b.go": 1, "[a]*.go": 1}; err != nil || c.Commits != 6 || !maps.Equal(c.Files, want) {
		t.Errorf("%+v, %v; want 6 commits and %v", c, err, want)
	}
	if c, err := Since(context.Background(), dir, time.Unix(1000000300, 0), "w/report.md", nil); err != nil || c.Commits != 0 {
		t.Errorf("nothing since: %+v, %v", c, err)
	}

	shallow := filepath.Join(t.TempDir(), "shallow")
	git(t, dir, "clone", "-q", "--depth", "3", "file://"+filepath.ToSlash(dir), shallow)
	if c, err := Since(context.Background(), shallow, time.Unix(1000000100, 0), "w/report.md", files); err != nil || c.Commits != 0 || len(c.Files) > 0 {
		t.Errorf("shallow: %+v, %v", c, err)
	}
	if c, err := Since(context.Background(), t.TempDir(), time.Unix(0, 0), "report.md", files); !errors.Is(err, ErrNoRepository) {
		t.Errorf("no repository: %+v, %v", c, err)
	}
}

func TestCommitted(t *testing.T) {
	dir := repository(t)
	write(t, dir, "w/a.go", "first")
	write(t, dir, "w/folder/b.go", "b")
	at(t, dir, 1000000000)
	write(t, dir, "w/a.go", "second")
	write(t, dir, "w/new.go", "new")
	below := filepath.Join(dir, "w")
	list, err := Committed(context.Background(), below, []string{"a.go", "new.go", "folder"})
	if err != nil || len(list) != 1 || list[0].Path != "a.go" {
		t.Fatalf("%+v, %v", list, err)
	}
	err = Contents(context.Background(), below, list, func(_ Entry, src []byte) error {
		if string(src) != "first" {
			t.Errorf("%q", src)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := Committed(context.Background(), t.TempDir(), []string{"a.go"}); !errors.Is(err, ErrNoRepository) {
		t.Errorf("no repository: %v", err)
	}
}

// TestUnmoved: git is not asked if HEAD has certainly not moved since the report, also in
// a linked working tree.
func TestUnmoved(t *testing.T) {
	dir := repository(t)
	write(t, dir, "w/a.go", "1")
	at(t, dir, 1000000000)
	linked := filepath.Join(t.TempDir(), "linked")
	git(t, dir, "worktree", "add", "-q", linked)
	git(t, dir, "repack", "-a", "-d", "-q") // so that only the log answers without git
	moved := time.Now()
	unmoved := func(dir string, after time.Time) bool {
		d, ok := openDirect(dir)
		return ok && d.unmoved(after)
	}
	for _, c := range []struct {
		name, dir string
		after     time.Time
		want      bool
	}{
		{"since then", filepath.Join(dir, "w"), moved.Add(time.Hour), true},
		{"it moved later", filepath.Join(dir, "w"), moved.Add(-time.Hour), false},
		{"a linked tree", linked, moved.Add(time.Hour), true},
		{"a linked tree that moved later", linked, moved.Add(-time.Hour), false},
		{"no repository", t.TempDir(), moved.Add(time.Hour), false},
	} {
		if got := unmoved(c.dir, c.after); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	t.Setenv("PATH", "")
	if c, err := Since(t.Context(), dir, moved.Add(time.Hour), "w/report.md", nil); err != nil || c.Commits != 0 {
		t.Errorf("without git: %+v, %v", c, err)
	}
	if _, err := Since(t.Context(), dir, moved.Add(-time.Hour), "w/report.md", nil); !errors.Is(err, ErrNoGit) {
		t.Errorf("git is needed: %v", err)
	}
	t.Setenv("GIT_DIR", filepath.Join(dir, ".git"))
	if unmoved(dir, moved.Add(time.Hour)) {
		t.Error("GIT_DIR names another folder")
	}
}

// The last commit of a file counts, however many files are asked about.
func TestLastChanged(t *testing.T) {
	dir, ctx := repository(t), context.Background()
	for _, name := range []string{"w/old.md", "w/[a]*.md", "w/é b.md", "w/sub/new.md"} {
		write(t, dir, name, "1")
	}
	at(t, dir, 1000000000)
	for i, name := range []string{"w/[a]*.md", "w/sub/new.md", "elsewhere.md", "w/é b.md", "w/sub/new.md"} {
		write(t, dir, name, fmt.Sprint("later", i))
		at(t, dir, 1000000100+i)
	}
	write(t, dir, "w/untracked.md", "1")
	files := []string{"old.md", "[a]*.md", "é b.md", "sub/new.md", "untracked.md", "gone.md"}
	got, err := LastChanged(ctx, filepath.Join(dir, "w"), files)
	want := map[string]time.Time{"old.md": time.Unix(1000000000, 0).UTC(), "[a]*.md": time.Unix(1000000100, 0).UTC(),
		"é b.md": time.Unix(1000000103, 0).UTC(), "sub/new.md": time.Unix(1000000104, 0).UTC()}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if got, err := LastChanged(ctx, filepath.Join(dir, "w"), files[3:4]); err != nil || !maps.Equal(got, map[string]time.Time{"sub/new.md": want["sub/new.md"]}) {
		t.Errorf("one file: %v, %v", got, err)
	}
	shallow := filepath.Join(t.TempDir(), "shallow")
	git(t, dir, "clone", "-q", "--depth", "2", "file://"+filepath.ToSlash(dir), shallow)
	if got, err := LastChanged(ctx, filepath.Join(shallow, "w"), files); err != nil || len(got) > 0 {
		t.Errorf("shallow: %v, %v", got, err)
	}
	if got, err := LastChanged(ctx, t.TempDir(), files); !errors.Is(err, ErrNoRepository) {
		t.Errorf("no repository: %v, %v", got, err)
	}
}

func TestEntryIs(t *testing.T) {
	dir := repository(t)
	write(t, dir, "a.md", "1\n2\n")
	at(t, dir, 1000000000)
	list, err := Committed(context.Background(), dir, []string{"a.md"})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	for text, want := range map[string]bool{"1\n2\n": true, "1\r\n2\r\n": true, "1\n": false, "": false} {
		if got := list[0].Is([]byte(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
