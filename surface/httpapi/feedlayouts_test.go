package httpapi

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"handoff/workspace/feed"
)

// TestHandoffEventsElsewhere: readers that are connected get the events of documents of
// all presets, while people write them and clients claim and finish them, all at once.
// A reader that resumes gets the same events.
func TestHandoffEventsElsewhere(t *testing.T) {
	s := serve(t, nil)
	if err := os.WriteFile(filepath.Join(s.root, ".handoff.yaml"), []byte("documents: [{preset: single}, {preset: thoughts}, {preset: sessions}]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	paths := []string{"HANDOFF.md", "thoughts/shared/handoffs/ENG-1478/2026-02-12_10-11-12_fix.md", "docs/handoffs/2026-02-12-fix.md", "specs/300_x/handoffs/phase-1-handoff-20260212T150000Z.md"}
	want := 2 + 3*len(paths)                    // those of the example, and of each path: written, claimed, done
	s.want(200, "HEAD", "/handoffs/events", "") // from now on the feed is kept
	readers := make([]feedReader, 3)
	var work sync.WaitGroup
	for i := range readers {
		readers[i].client = s.client
		work.Go(func() {
			if done, err := readers[i].visit(s.url, want); !done || err != nil {
				t.Errorf("a reader got %d of %d events: %v", len(readers[i].lines), want, err)
			}
		})
	}
	for _, path := range paths {
		work.Go(func() {
			s.rename(path)
			at := "/handoffs/" + url.PathEscape(path) + "/"
			claim := s.step(201, at+"claim", `{"as":"codex"}`).Claim
			s.step(200, at+"done", fmt.Sprintf(`{"claim":%q}`, claim))
		})
	}
	work.Wait()
	for _, r := range readers[1:] {
		if !slices.Equal(r.lines, readers[0].lines) {
			t.Errorf("%q\nis not %q", r.lines, readers[0].lines)
		}
	}
	of := map[string][]string{}
	for _, line := range readers[0].lines {
		var e feed.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		of[e.Path] = append(of[e.Path], string(e.Type))
		if here := strings.HasPrefix(e.Path, "specs/"); e.Type == feed.Written && here != (e.SHA256 == "") {
			t.Errorf("%+v", e)
		}
	}
	for _, path := range paths {
		if got := strings.Join(of[path], " "); got != "written claimed done" {
			t.Errorf("%s: %s", path, got)
		}
	}
	again := feedReader{client: s.client, lines: slices.Clone(readers[0].lines[:want-3])}
	if done, err := again.visit(s.url, 3); !done || err != nil || !slices.Equal(again.lines, readers[0].lines) {
		t.Errorf("a reader that resumes: %v, %q", err, again.lines)
	}
	s.validate("event", readers[0].lines[want-1], "/components/schemas/HandoffEvent")
}

// rename writes a document all at once: half of one would count as another content.
func (s *server) rename(path string) {
	s.byHand(path + ".tmp")
	if err := os.Rename(s.path(path+".tmp"), s.path(path)); err != nil {
		s.t.Error(err)
	}
}
