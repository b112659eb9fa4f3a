package gitindex

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"testing"
	"time"

	"handoff/internal/testing/needs"
)

// TestAdded commits files of two folders at known times, and changes one.
func TestAdded(t *testing.T) {
	dir := repository(t)
	put := func(name, text, at string) {
		t.Helper()
		write(t, dir, name, text)
		if at == "" {
			return
		}
		t.Setenv("GIT_COMMITTER_DATE", at+" +0000")
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-q", "-m", "x")
	}
	put("a/é b.md", "1", "@1000000000")
	put("a/c.md", "1", "@1000000100")
	put("b/d.md", "1", "@1000000200")
	put("a/é b.md", "2", "@1000000300")
	put("a/new.md", "1", "")
	added, err := Added(context.Background(), filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for name, at := range added {
		got[name] = at.Unix()
	}
	if want := map[string]int64{"é b.md": 1000000000, "c.md": 1000000100}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestChanged(t *testing.T) {
	dir := repository(t)
	for at, text := range []string{"1", "2"} {
		write(t, dir, "a/b.md", text)
		t.Setenv("GIT_COMMITTER_DATE", fmt.Sprintf("@%d +0000", 1000000000+at))
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-q", "-m", "x")
	}
	for name, want := range map[string]int64{"b.md": 1000000001, "c.md": time.Time{}.Unix()} {
		if at, err := Changed(context.Background(), filepath.Join(dir, "a"), name); err != nil || at.Unix() != want {
			t.Errorf("%s: %v, %v", name, at, err)
		}
	}
}

func TestAddedNowhere(t *testing.T) {
	needs.Tool(t, "git")
	if added, err := Added(context.Background(), t.TempDir()); !errors.Is(err, ErrNoRepository) {
		t.Errorf("%v, %v", added, err)
	}
}
