package feed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
	"handoff/templates"
	"handoff/workspace/create"
	"handoff/workspace/receipts"
)

// elsewhere are a document of each preset.
var elsewhere = map[string]string{
	"single":   "HANDOFF.md",
	"thoughts": "thoughts/shared/handoffs/ENG-1478/2026-02-12_10-11-12_fix-auth.md",
	"sessions": "docs/handoffs/2026-02-12-fix-auth.md",
}

// layouts is a workspace whose configuration has some presets.
func layouts(t testing.TB, presets ...string) tree {
	t.Helper()
	w := tree{t, t.TempDir()}
	w.configure(presets...)
	return w
}

func (w tree) configure(presets ...string) {
	w.t.Helper()
	text := "documents:\n"
	for _, preset := range presets {
		text += "  - preset: " + preset + "\n"
	}
	w.write(".handoff.yaml", text)
}

// write writes a file as an editor does: it replaces the old one at once.
func (w tree) write(path, text string) {
	w.t.Helper()
	full := filepath.Join(w.root, filepath.FromSlash(path))
	temporary := full + ".tmp"
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(temporary, []byte(text), 0o644), os.Rename(temporary, full)); err != nil {
		w.t.Error(err)
	}
}

// finish takes the step done of a claim.
func (w tree) finish(claim string) {
	b, err := receipts.Open(w.workspace())
	if err == nil {
		_, err = b.Finish(w.t.Context(), receipts.Target{Claim: claim}, "")
	}
	if err != nil {
		w.t.Error(err)
	}
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// types are the types of the events, without the task.
func types(list []Event) string {
	var out []string
	for _, e := range list {
		out = append(out, string(e.Type))
	}
	return strings.Join(out, " ")
}

// TestLayouts: a document of each preset is written, claimed and done, and written again
// when its content changes; a new time changes nothing.
func TestLayouts(t *testing.T) {
	for preset, path := range elsewhere {
		t.Run(preset, func(t *testing.T) {
			w := layouts(t, preset)
			f := w.feed()
			w.update(f)
			w.write(path, "# One\n")
			w.update(f)
			claim := w.claim(path, "codex")
			w.update(f)
			w.write(path, "# One\n") // the same again
			w.update(w.feed())       // another process
			w.write(path, "# Two\n")
			w.update(f)
			w.finish(claim)
			w.update(f)
			w.update(w.feed())
			all := w.events()
			if got := types(all); got != "written claimed written done" {
				t.Fatalf("%s", got)
			}
			if all[0].SHA256 != sumOf("# One\n") || all[2].SHA256 != sumOf("# Two\n") || all[3].SHA256 != all[2].SHA256 {
				t.Errorf("%+v", all)
			}
			for _, e := range all {
				if e.Path != path || e.At.IsZero() || e.Bundle != "" || preset == "thoughts" && (e.Task != 1478 || e.Ref != "1478") {
					t.Errorf("%+v", e)
				}
			}
		})
	}
}

// TestStepOfNewContent: the steps of a document come after the content that they are
// about, also if only the receipts were checked.
func TestStepOfNewContent(t *testing.T) {
	w := layouts(t, "single")
	f := w.feed()
	w.write("HANDOFF.md", "# One\n")
	w.update(f)
	w.write("HANDOFF.md", "# Two\n")
	w.claim("HANDOFF.md", "codex")
	f.mu.Lock()
	err := f.update(t.Context(), false)
	f.mu.Unlock()
	if got := types(w.events()); err != nil || got != "written written claimed" {
		t.Errorf("%s, %v", got, err)
	}
}

// TestReplacedDocument: a new HANDOFF.md that replaces a claimed one is written, and
// waits again.
func TestReplacedDocument(t *testing.T) {
	w := layouts(t, "single")
	f := w.feed()
	for i := range 2 {
		req := create.Request{Values: templates.Values{NextAction: fmt.Sprintf("Do step %d in `a.go`.", i)}, Draft: true}
		if _, err := create.Run(t.Context(), w.workspace(), req); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			w.claim("HANDOFF.md", "codex")
		}
		w.update(f)
	}
	if got := types(w.events()); got != "written claimed written released" {
		t.Errorf("%s", got)
	}
}

// TestUnreadableDocument: a link out of the workspace is not read and has only one event;
// a document that was removed meanwhile, or is a dangling link, has none.
func TestUnreadableDocument(t *testing.T) {
	w := layouts(t, "sessions")
	outside := filepath.Join(t.TempDir(), "x.md")
	if err := errors.Join(os.WriteFile(outside, []byte("secret"), 0o600), os.MkdirAll(filepath.Join(w.root, "docs/handoffs"), 0o755)); err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, outside, filepath.Join(w.root, "docs/handoffs/a.md"))
	needs.Symlink(t, "nowhere.md", filepath.Join(w.root, "docs/handoffs/b.md"))
	w.update(w.feed())
	w.update(w.feed())
	if all := w.events(); types(all) != "written" || all[0].SHA256 != "" {
		t.Errorf("%+v", all)
	}
}

// follow reads events until enough returns true.
func (w tree) follow(f *Feed, enough func(Event) bool) {
	ctx, cancel := context.WithCancel(waittest.Context(w.t))
	defer cancel()
	for rec, err := range f.Follow(ctx, 0) {
		var e Event
		if err == nil {
			err = json.Unmarshal(rec.Line, &e)
		}
		if err != nil {
			w.t.Error(err)
			return
		}
		if enough(e) {
			return
		}
	}
	w.t.Error("the events ended")
}

// TestFollowLayouts: writers of all presets and of a task folder work at once, in
// folders that did not exist; followers of two feeds see the last content of each
// document, and each step once.
func TestFollowLayouts(t *testing.T) {
	const versions = 5
	w := layouts(t, "single", "thoughts", "sessions")
	paths := []string{"specs/7_x/handoffs/phase-1-handoff-20260212T143022Z.md"}
	for _, path := range elsewhere {
		paths = append(paths, path)
	}
	var work sync.WaitGroup
	for range 2 {
		f := w.feed()
		if _, err := f.Len(t.Context()); err != nil {
			t.Fatal(err)
		}
		work.Go(func() {
			written, steps := map[string]bool{}, map[string]int{}
			w.follow(f, func(e Event) bool {
				if last := e.SHA256 == sumOf(fmt.Sprintf("# Version %d\n", versions)); e.Type == Written && (last || e.Task == 7) {
					written[e.Path] = true
				}
				if e.Step != nil {
					steps[e.Path]++
				}
				return len(written) == len(paths) && !slices.ContainsFunc(paths, func(p string) bool { return steps[p] < 2 })
			})
		})
	}
	for _, path := range paths {
		work.Go(func() {
			claim := ""
			for i := range versions {
				w.write(path, fmt.Sprintf("# Version %d\n", i+1))
				if i == 2 {
					claim = w.claim(path, "codex")
				}
			}
			w.finish(claim)
		})
	}
	work.Wait()
	claimed, done := map[string]int{}, map[string]int{}
	for _, e := range w.events() {
		switch e.Type {
		case "claimed":
			claimed[e.Path]++
		case "done":
			done[e.Path]++
		}
	}
	for _, path := range paths {
		if claimed[path] != 1 || done[path] != 1 {
			t.Errorf("%s: claimed %d times, done %d times", path, claimed[path], done[path])
		}
	}
}

// TestFollowConfiguration: documents of a layout that the configuration gets later are in
// the feed, as they are then and as they change.
func TestFollowConfiguration(t *testing.T) {
	w := layouts(t, "single")
	w.write(elsewhere["sessions"], "# One\n")
	w.write(elsewhere["single"], "# One\n")
	f := w.feed()
	if n, err := f.Len(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	var got []Event
	w.follow(f, func(e Event) bool {
		switch got = append(got, e); len(got) {
		case 1:
			w.configure("sessions")
		case 2:
			w.write(elsewhere["sessions"], "# Two\n")
		}
		return len(got) == 3
	})
	if types(got) != "written written written" || got[1].Path != elsewhere["sessions"] || got[2].SHA256 != sumOf("# Two\n") {
		t.Errorf("%+v", got)
	}
}
