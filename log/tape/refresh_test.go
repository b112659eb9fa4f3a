package tape

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"handoff/internal/file/lockfile"
	"handoff/internal/testing/waittest"
)

// TestManifestFollows hands off on several tapes from several stores at once.
// When these are closed the file equals a rebuilt one, and before that it is
// not late for long.
func TestManifestFollows(t *testing.T) {
	folder := filepath.Join(t.TempDir(), ".handoff")
	var stores []*workshop
	for i := range 4 {
		w := openIn(t, folder)
		stores = append(stores, w)
		add(t, w.tape(fmt.Sprint("t", i)), message("first"))
	}
	var wg sync.WaitGroup
	for i, w := range stores {
		wg.Go(func() {
			for k := range 3 * manifestAnchors / 2 {
				must(w.tape(fmt.Sprint("t", i)).Handoff(ctx, fmt.Sprint(i, "-", k), nil, nil))(t)
			}
		})
	}
	wg.Wait()
	path := stores[0].manifestPath()
	for i := range stores { // none has anything left to write when it is closed
		last := fmt.Sprintf("%q", fmt.Sprint(i, "-", 3*manifestAnchors/2-1))
		waittest.Until(t, "the manifest to name "+last, func() bool {
			src, _ := os.ReadFile(path)
			return strings.Contains(string(src), last)
		})
	}
	must(stores[1].tape("t1").Handoff(ctx, "at the end", nil, nil))(t)
	for _, w := range stores {
		w.Close()
	}
	got := read(t, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	m := must(openIn(t, folder).Manifest())(t)
	if want := read(t, path); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if a, ok := m.Anchors["at the end"]; !ok || a.TapeID != "t1" || len(m.Anchors) != 4*manifestAnchors {
		t.Errorf("%+v of %d", a, len(m.Anchors))
	}
}

// TestManifestLate: an update for which another process leaves no time is made later.
func TestManifestLate(t *testing.T) {
	w := open(t)
	add(t, w.tape(Main), message("first"))
	w.refresh(Main)
	unlock, err := lockfile.Lock(ctx, w.root(), w.graph().Path+".lock")
	if err != nil {
		t.Fatal(err)
	}
	must(w.tape(Main).Handoff(ctx, "late", nil, nil))(t)
	w.refresh() // waits for the lock, in vain
	if src := read(t, w.manifestPath()); strings.Contains(src, `"late"`) {
		t.Errorf("written without the lock:\n%s", src)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the manifest to name the anchor", func() bool {
		src, _ := os.ReadFile(w.manifestPath())
		return strings.Contains(string(src), `"late"`)
	})
}

// TestManifestByTape: two tapes with an anchor of the same name both keep it.
// An updated file equals a rebuilt one, also if it was of another version.
func TestManifestByTape(t *testing.T) {
	folder := filepath.Join(t.TempDir(), ".handoff")
	for what, prepare := range map[string]func(path string){
		"updated": func(string) {},
		"of a newer form": func(path string) {
			if err := os.WriteFile(path, []byte(`{"version": 2, "tapes": {}, "anchors": {}}`), 0o644); err != nil {
				t.Fatal(err)
			}
		},
	} {
		w := openIn(t, folder)
		must(w.tape("a").Handoff(ctx, "phase-1", []byte(`{"of": "a"}`), nil))(t)
		must(w.tape("b").Handoff(ctx, "phase-1", []byte(`{"of": "b"}`), nil))(t)
		w.refresh()
		prepare(w.manifestPath())
		must(w.tape("b").Reset(ctx, ResetRequest{}))(t) // a's is the newest again
		m, ok := w.readManifest()
		a := m.Tapes["a"].Anchors["phase-1"]
		if !ok || a.TapeID != "a" || a.EntryID != int64(m.Tapes["a"].Entries-1) || m.Anchors["phase-1"].TapeID != "a" {
			t.Errorf("%s: %+v", what, m)
		}
		if _, there := m.Tapes["b"].Anchors["phase-1"]; there {
			t.Errorf("%s: the anchor of a reset tape is still listed: %+v", what, m)
		}
		got := read(t, w.manifestPath())
		must(w.Manifest())(t)
		if want := read(t, w.manifestPath()); got != want {
			t.Errorf("%s: %s\nwant\n%s", what, got, want)
		}
		w.Close()
	}
}

// TestManifestOfNothing: neither reading nor appending to a file outside the
// store creates a manifest.
func TestManifestOfNothing(t *testing.T) {
	w := open(t)
	wantShort(t, w.tape(Main), Query{}, "")
	tape := w.bare(say(1, "x") + "\n")
	must(tape.Handoff(ctx, "p", nil, nil))(t)
	w.Close()
	if _, err := os.Stat(w.folder); !os.IsNotExist(err) {
		t.Error(err)
	}
	files := must(filepath.Glob(filepath.Join(filepath.Dir(tape.Path()), "*.json")))(t)
	if len(files) > 0 {
		t.Errorf("%q", files)
	}
}
