package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/document/task"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
)

// layoutsOf are layouts of the user's own, each with one glob.
func layoutsOf(globs ...string) (ls task.Layouts) {
	for _, glob := range globs {
		l := task.Custom()
		l.Name, l.Files = glob, []string{glob}
		ls = append(ls, l)
	}
	return ls
}

// elsewhereSoFar reports whether what happened so far is reported as a change elsewhere.
// A task that is written last is reported in the same set or a later one.
func elsewhereSoFar(t *testing.T, w *Watcher, root string) (found bool) {
	t.Helper()
	last := fmt.Sprintf("specs/9_%d", time.Now().UnixNano())
	put(t, root, last+"/.return-meta.json", "{}")
	for {
		set := waittest.For(t, last+" to be named", w.Dirty)
		found = found || slices.Contains(set, Elsewhere)
		if slices.Contains(set, last) {
			return found
		}
	}
}

// TestElsewhere: writing, changing, renaming and removing a document of each preset is
// reported, by events and by polling, also in folders that did not exist.
func TestElsewhere(t *testing.T) {
	for _, path := range []string{"HANDOFF.md", "thoughts/shared/handoffs/ENG-1/2026-01-01_10-00-00_x.md", "docs/handoffs/2026-01-01-x.md", "docs/handoffs/2026-01/2026-01-01-x.md"} {
		for _, poll := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s poll=%t", filepath.Base(path), poll), func(t *testing.T) {
				t.Parallel()
				w, root := start(t, Options{Layouts: task.Presets(), Poll: poll, PollEvery: time.Millisecond})
				put(t, root, path, "a")
				await(t, w, Elsewhere)
				elsewhereSoFar(t, w, root)
				put(t, root, path, "more")
				await(t, w, Elsewhere)
				elsewhereSoFar(t, w, root)
				rename(t, root, path, path+".old")
				await(t, w, Elsewhere)
				elsewhereSoFar(t, w, root)
				rename(t, root, path+".old", path)
				await(t, w, Elsewhere)
				elsewhereSoFar(t, w, root)
				if err := os.RemoveAll(filepath.Join(root, strings.Split(path, "/")[0])); err != nil {
					t.Fatal(err)
				}
				await(t, w, Elsewhere)
			})
		}
	}
}

// TestElsewhereOnly: other files in these folders, hidden folders and documents below a
// symlink are not reported; a workspace without layouts reports nothing elsewhere.
func TestElsewhereOnly(t *testing.T) {
	for _, ls := range []task.Layouts{nil, task.Presets(), layoutsOf("**/*.handoff.md")} {
		root := t.TempDir()
		outside := t.TempDir()
		put(t, root, "docs/handoffs/a/notes.txt", "")
		put(t, root, "node_modules/x/a.handoff.md", "")
		needs.Symlink(t, outside, filepath.Join(root, "docs/handoffs/link"))
		w, first := open(t, Options{Root: root, Layouts: ls})
		if len(first) != 0 {
			t.Errorf("%v", first)
		}
		for _, path := range []string{"docs/handoffs/a/notes.txt", "docs/handoffs/a/new.txt", "docs/other.md", "README.md", "node_modules/x/a.handoff.md",
			".handoff/tmp/.handoff-swap-1-docs%2Fa.handoff.md", "specs/1_x" + doc} {
			put(t, root, path, "changed")
		}
		put(t, outside, "2026-01-01-x.md", "")
		if elsewhereSoFar(t, w, root) {
			t.Errorf("%d layouts: something was reported", len(ls))
		}
	}
}

// TestElsewhereMoved: documents are seen in folders that were renamed, moved in, and
// created again after they were removed.
func TestElsewhereMoved(t *testing.T) {
	w, root := start(t, Options{Layouts: layoutsOf("notes/**/*.md")})
	change := func(path string) {
		t.Helper()
		elsewhereSoFar(t, w, root)
		put(t, root, path, fmt.Sprint(time.Now()))
		await(t, w, Elsewhere)
	}
	change("notes/a/b/1.md")
	rename(t, root, "notes/a", "notes/c")
	await(t, w, Elsewhere)
	change("notes/c/b/1.md")
	change("notes/a/b/1.md")
	put(t, root, "away/b/2.md", "")
	rename(t, root, "away", "notes/in")
	await(t, w, Elsewhere)
	change("notes/in/b/2.md")
	for range 3 {
		if err := os.RemoveAll(filepath.Join(root, "notes")); err != nil {
			t.Fatal(err)
		}
		await(t, w, Elsewhere)
		change("notes/a/b/1.md")
	}
}

// TestLayoutsChange: layouts of a changed configuration are watched, and those that it
// no longer has are not. The same layouts again change nothing.
func TestLayoutsChange(t *testing.T) {
	for _, poll := range []bool{false, true} {
		w, root := start(t, Options{Poll: poll, PollEvery: time.Millisecond})
		w.Layouts(nil)
		put(t, root, "docs/handoffs/a.md", "")
		if elsewhereSoFar(t, w, root) {
			t.Error("reported without a layout")
		}
		w.Layouts(layoutsOf("docs/handoffs/*.md"))
		await(t, w, Elsewhere)
		elsewhereSoFar(t, w, root)
		put(t, root, "docs/handoffs/a.md", "changed")
		await(t, w, Elsewhere)
		elsewhereSoFar(t, w, root)
		if poll {
			continue // the scan after a change may be later than one that is due anyway
		}
		w.Layouts(layoutsOf("docs/handoffs/*.md"))
		if elsewhereSoFar(t, w, root) {
			t.Error("the same layouts: reported")
		}
		w.Layouts(layoutsOf("docs/other/*.md"))
		await(t, w, Elsewhere)
		elsewhereSoFar(t, w, root)
		put(t, root, "docs/handoffs/a.md", "again")
		if elsewhereSoFar(t, w, root) {
			t.Error("reported after its layout was removed")
		}
	}
}

// TestElsewhereAtOnce: many writers in new folders while the layouts change; the last
// document of each is seen.
func TestElsewhereAtOnce(t *testing.T) {
	w, root := start(t, Options{Layouts: layoutsOf("notes/**/*.md"), Quiet: time.Millisecond})
	var writers sync.WaitGroup
	for i := range 4 {
		writers.Go(func() {
			for j := range 25 {
				full := filepath.Join(root, fmt.Sprintf("notes/%d/%d/x.md", i, j))
				if os.MkdirAll(filepath.Dir(full), 0o755) != nil || os.WriteFile(full, nil, 0o644) != nil {
					t.Error(full)
				}
			}
		})
	}
	writers.Go(func() {
		for range 10 {
			w.Layouts(layoutsOf("notes/**/*.md", "MARK.md"))
			w.Layouts(layoutsOf("notes/**/*.md"))
		}
	})
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	seen := false
	for done != nil {
		select {
		case set := <-w.Dirty:
			seen = seen || slices.Contains(set, Elsewhere)
		case <-done:
			done = nil
		}
	}
	if !seen && !elsewhereSoFar(t, w, root) {
		t.Error("nothing was reported")
	}
	elsewhereSoFar(t, w, root)
	for i := range 4 { // each folder is watched
		put(t, root, fmt.Sprintf("notes/%d/24/x.md", i), "changed")
		await(t, w, Elsewhere)
		elsewhereSoFar(t, w, root)
	}
}

// TestElsewhereCount: the folders that the message about the limit counts.
func TestElsewhereCount(t *testing.T) {
	root := t.TempDir()
	for _, path := range []string{"docs/handoffs/a/x.md", "docs/other/b/x.md", "thoughts/shared/handoffs/ENG-1/x.md", "thoughts/me/x.md", "src/x.go"} {
		put(t, root, path, "")
	}
	var e elsewhere
	for _, c := range []struct {
		ls   task.Layouts
		want int
	}{{nil, 0}, {task.Presets(), 7}, {layoutsOf("HANDOFF.md"), 0}, {layoutsOf("**/*.md"), 11}, {layoutsOf("docs/*/*.md"), 3}} {
		e.set(c.ls)
		if got := e.count(root, ""); got != c.want {
			t.Errorf("%v: %d, want %d", c.ls, got, c.want)
		}
	}
}
