package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
	"handoff/workspace"
)

const (
	single   = "HANDOFF.md"
	thoughts = "thoughts/shared/handoffs/ENG-1478/2026-02-12_10-11-12_fix.md"
	sessions = "docs/handoffs/2026-02-12-fix.md"
)

// writeFile writes a file all at once, with the folders that it needs.
func writeFile(t *testing.T, root, path, text string) {
	t.Helper()
	full := filepath.Join(root, filepath.FromSlash(path))
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full+".tmp", []byte(text), 0o644), os.Rename(full+".tmp", full)); err != nil {
		t.Error(err)
	}
}

// watchElsewhere watches a workspace with a configuration. The channel gets what the
// watch reports as written.
func watchElsewhere(t *testing.T, root, configuration string, change func(*Request)) (x *watching, written chan Written) {
	t.Helper()
	writeFile(t, root, ".handoff.yaml", configuration)
	w, err := workspace.Open(root, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	written = make(chan Written, 1000)
	return watchOf(t, w, func(r *Request) {
		r.Wrote = func(_ time.Time, one Written) { written <- one }
		if change != nil {
			change(r)
		}
	}), written
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// TestWatchElsewhere: writers of all presets and of a task work at once. The watch
// reports the last content of each document and none twice in a row, links the task's
// document, and counts all of them. What exists at the start is not reported.
func TestWatchElsewhere(t *testing.T) {
	root := t.TempDir()
	writeFile(t, root, "docs/handoffs/old.md", "old")
	x, written := watchElsewhere(t, root, "documents: [{preset: single}, {preset: thoughts}, {preset: sessions}]", nil)
	paths := []string{single, thoughts, sessions}
	var work sync.WaitGroup
	for _, path := range paths {
		work.Go(func() {
			for i := range 5 {
				writeFile(t, root, path, fmt.Sprint("version ", i))
			}
		})
	}
	work.Go(func() { x.write("specs/1_x", 1) })
	last := map[string]string{}
	for seen := 0; seen < len(paths); {
		one := waittest.For(t, "the last version of each document", written)
		if one.SHA256 == last[one.Path] {
			t.Errorf("%s: twice the same", one.Path)
		}
		if last[one.Path] = one.SHA256; one.SHA256 == sumOf("version 4") {
			seen++
		}
	}
	work.Wait()
	x.linked("specs/1_x/handoffs/phase-1-handoff-20260101T000000Z.md")
	if last["docs/handoffs/old.md"] != "" {
		t.Error("a document that existed is reported")
	}
	waittest.Until(t, "the status to count all documents", func() bool {
		s, err := Ask(t.Context(), x.w)
		return err == nil && s.Tasks == 1 && s.Documents == 5
	})
	if totals := x.stop(); totals.Problems != 0 {
		t.Errorf("%+v", totals)
	}
}

// TestWatchElsewhereAgain: a new time is not reported, a document that was removed and
// written again is, and one of a new layout only if it is written after that.
func TestWatchElsewhereAgain(t *testing.T) {
	root := t.TempDir()
	writeFile(t, root, single, "one")
	x, written := watchElsewhere(t, root, "documents: [{preset: single}]", func(r *Request) { r.Look = time.Millisecond })
	want := func(path, text string) {
		t.Helper()
		if one := waittest.For(t, text, written); one.Path != path || one.SHA256 != sumOf(text) {
			t.Errorf("%+v, want %s with %q", one, path, text)
		}
	}
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(filepath.Join(root, single), later, later); err != nil {
		t.Fatal(err)
	}
	writeFile(t, root, single, "two")
	want(single, "two")
	if err := os.Remove(filepath.Join(root, single)); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the document to be gone", func() bool { s, err := Ask(t.Context(), x.w); return err == nil && s.Documents == 0 })
	writeFile(t, root, single, "two")
	want(single, "two")
	writeFile(t, root, sessions, "old")
	writeFile(t, root, ".handoff.yaml", "documents: [{preset: single}, {preset: sessions}]\n")
	waittest.Until(t, "the new layout", func() bool { s, err := Ask(t.Context(), x.w); return err == nil && s.Documents == 2 })
	writeFile(t, root, sessions, "new")
	want(sessions, "new")
	if len(written) > 0 {
		t.Errorf("%+v", <-written)
	}
}

// TestWatchElsewhereLink: a layout's folder that is a symlink is reported once, and not
// entered.
func TestWatchElsewhereLink(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	needs.Symlink(t, outside, filepath.Join(root, "thoughts"))
	var said []string
	x, written := watchElsewhere(t, root, "documents: [{preset: thoughts}, {preset: single}]", func(r *Request) {
		r.Say = func(text string) { said = append(said, text) } // talk takes turns
	})
	writeFile(t, outside, strings.TrimPrefix(thoughts, "thoughts/"), "outside")
	for _, text := range []string{"one", "two"} {
		writeFile(t, root, single, text)
		if one := waittest.For(t, text, written); one.Path != single {
			t.Errorf("%+v", one)
		}
	}
	x.stop()
	if len(said) != 1 || !strings.HasPrefix(said[0], "thoughts: a symbolic link") {
		t.Errorf("%q", said)
	}
}
