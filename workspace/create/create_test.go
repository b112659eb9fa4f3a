package create

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/testing/needs"
	"handoff/lint/rules"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/documents"
)

var noon = time.Date(2026, 2, 12, 12, 0, 0, 0, time.UTC)

func atNoon() time.Time { return noon }

func draft(phase int) Request {
	return Request{Values: templates.Values{Task: 7, Phase: phase}, Slug: "small", Draft: true}
}

// created is the path of a new document.
func created(ctx context.Context, w *workspace.Workspace, req Request) (string, error) {
	made, err := Run(ctx, w, req)
	return made.Path, err
}

func open(t *testing.T) *workspace.Workspace {
	t.Helper()
	ws, err := workspace.Open(t.TempDir(), workspace.Options{Rules: rules.All, Now: atNoon})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(ws.Specs(), 0o755); err != nil {
		t.Fatal(err)
	}
	return ws
}

// TestNewInOneSecond makes many documents at the same moment: each gets a name of its own,
// none is overwritten and none is more than two seconds ahead.
func TestNewInOneSecond(t *testing.T) {
	for _, ws := range []*workspace.Workspace{open(t), presetTree(t, "thoughts", noon), presetTree(t, "sessions", noon)} {
		const writers = 64
		paths := make(chan string, writers)
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() {
				path, err := created(context.Background(), ws, draft(1+i%3))
				if err != nil {
					t.Error(err)
				}
				paths <- path
			})
		}
		wg.Wait()
		close(paths)
		seen := map[string]bool{}
		for p := range paths {
			seen[p] = true
			if n := ws.NameOf(p); n.Time.Before(noon) || n.Time.After(noon.Add(2*time.Second)) {
				t.Errorf("%s reads as %+v", p, n)
			}
		}
		list, err := documents.List(context.Background(), ws, documents.Filter{})
		if err != nil || len(list) != writers || len(seen) != writers {
			t.Errorf("%d files, %d paths of %d writers, %v", len(list), len(seen), writers, err)
		}
	}
}

// TestNewInOrder: the order of the names is that of writing, whatever the phases, and the
// newest of the task or of the chain is the last that was written.
func TestNewInOrder(t *testing.T) {
	for _, ws := range []*workspace.Workspace{open(t), presetTree(t, "thoughts", noon), presetTree(t, "sessions", noon)} {
		last := ""
		for i := range 12 {
			path, err := created(context.Background(), ws, draft(1+i*5%7))
			if err != nil {
				t.Fatal(err)
			}
			if last != "" && ws.NameOf(path).Compare(ws.NameOf(last)) <= 0 {
				t.Errorf("%s was written after %s", path, last)
			}
			last = path
		}
		e, err := documents.Find(context.Background(), ws, ws.Root, "latest")
		if err != nil || e.Path != last {
			t.Errorf("the latest is %s, %v; want %s", e.Path, err, last)
		}
	}
}

// TestRelinkOlder: a document whose writer was killed does not replace a newer one in the
// metadata when it is linked.
func TestRelinkOlder(t *testing.T) {
	ws := open(t)
	var paths []string
	for range 2 {
		req := draft(3)
		req.Values.NextAction = "Run `go test ./parse`."
		path, err := created(context.Background(), ws, req)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	for range 2 {
		if made, err := Relink(context.Background(), ws, paths[0]); err != nil || made.Unlinked != nil {
			t.Fatal(made, err)
		}
	}
	meta, err := os.ReadFile(filepath.Join(ws.Root, "specs/7_small", handoff.MetadataFile))
	if err != nil || !strings.Contains(string(meta), `"handoff_path": "`+paths[1]+`"`) {
		t.Errorf("%s, %v", meta, err)
	}
}

// TestNewCrowded waits for the next second if all names of one are taken.
func TestNewCrowded(t *testing.T) {
	ws := open(t)
	for range 2 + handoff.MaxCount {
		if path, err := created(context.Background(), ws, draft(3)); err != nil {
			t.Fatal(path, err)
		}
	}
	start := time.Now()
	ws.Options.Now = func() time.Time { return noon.Add(time.Since(start)) }
	path, err := created(context.Background(), ws, draft(3))
	if err != nil || filepath.Base(path) != "phase-3-handoff-20260212T120003.01Z.md" {
		t.Error(path, err)
	}
}

// TestNewOfAnotherPhase chooses a second that no document of the task has,
// whatever its phase: two phases that end in one second look invented.
func TestNewOfAnotherPhase(t *testing.T) {
	ws := open(t)
	for phase, want := range []string{"phase-1-handoff-20260212T120000Z.md", "phase-2-handoff-20260212T120001Z.md"} {
		path, err := created(context.Background(), ws, draft(phase+1))
		if err != nil || filepath.Base(path) != want {
			t.Errorf("%s, %v; want %s", path, err, want)
		}
	}
}

func TestNewPadding(t *testing.T) {
	for _, tt := range []struct {
		padding int
		beside  string
		want    string
	}{
		{-1, "", "specs/7_small"},
		{-1, "specs/042_other", "specs/007_small"},
		{-1, "specs/142_other", "specs/7_small"},
		{0, "specs/042_other", "specs/7_small"},
		{4, "", "specs/0007_small"},
		{0, "specs/007_small", "specs/007_small"}, // exists: 7 and 007 are one task
		{0, "specs/group/007_small", "specs/group/007_small"},
		{0, "specs/archive/7_small", "specs/7_small"},
	} {
		ws := open(t)
		ws.Config.Settings.Padding = tt.padding
		if err := os.MkdirAll(filepath.Join(ws.Root, tt.beside), 0o755); err != nil {
			t.Fatal(err)
		}
		if got, err := (creator{Workspace: ws}).taskFolder(t.Context(), 7, "small"); err != nil || got != tt.want {
			t.Errorf("padding %d beside %q: %s, %v; want %s", tt.padding, tt.beside, got, err, tt.want)
		}
	}
}

// TestNewEditedLosesRace renames a document that was written by hand when its
// second is taken meanwhile, and its title with it.
func TestNewEditedLosesRace(t *testing.T) {
	ws := open(t)
	req := draft(3)
	edits := 0
	req.Edit = func(src []byte) ([]byte, error) {
		if edits++; edits == 1 {
			if _, err := created(context.Background(), ws, draft(3)); err != nil {
				t.Fatal(err)
			}
		}
		return append(src, "by hand\n"...), nil
	}
	path, err := created(context.Background(), ws, req)
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(filepath.Join(ws.Root, path))
	if err != nil {
		t.Fatal(err)
	}
	text := string(src)
	if edits != 1 || filepath.Base(path) != "phase-3-handoff-20260212T120001Z.md" ||
		text[:len("# Phase 3 Handoff - 20260212T120001Z\n")] != "# Phase 3 Handoff - 20260212T120001Z\n" ||
		text[len(text)-len("by hand\n"):] != "by hand\n" {
		t.Errorf("%d edits, %s:\n%s", edits, path, text)
	}
}

// TestNewLosesSecond takes another second when a document of another phase has
// taken ours since it was found free: two phases do not end in one second.
func TestNewLosesSecond(t *testing.T) {
	ws := open(t)
	edits := 0
	req := draft(3)
	req.Edit = func(src []byte) ([]byte, error) {
		edits++
		_, err := created(context.Background(), ws, draft(4))
		return src, err
	}
	path, err := created(context.Background(), ws, req)
	if err != nil || edits != 1 || filepath.Base(path) != "phase-3-handoff-20260212T120001Z.md" {
		t.Errorf("%d edits, %s, %v", edits, path, err)
	}
	doc, err := documents.Read(ws, documents.Entry{Path: path})
	if err != nil || doc.Title.Text != "Phase 3 Handoff - 20260212T120001Z" {
		t.Errorf("title %q, %v", doc.Title.Text, err)
	}
}

// TestNewLosesTask makes no second folder for a task that got one, with
// another slug, while the document was written.
func TestNewLosesTask(t *testing.T) {
	ws := open(t)
	req := draft(3)
	req.Slug = "other"
	req.Edit = func(src []byte) ([]byte, error) {
		_, err := created(context.Background(), ws, draft(3))
		return src, err
	}
	if path, err := created(context.Background(), ws, req); err == nil || path != "specs/7_other/handoffs/phase-3-handoff-20260212T120000Z.md" {
		t.Errorf("%s, %v; want no second folder", path, err)
	}
	if entries, err := os.ReadDir(ws.Specs()); err != nil || len(entries) != 1 {
		t.Errorf("specs holds %v, %v", entries, err)
	}
}

// TestNewWithoutLock writes a document where nothing else can be written,
// because the document matters most.
func TestNewWithoutLock(t *testing.T) {
	ws := open(t)
	if err := os.Mkdir(filepath.Join(ws.Root, workspace.StateDir), 0o755); err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, filepath.Join(t.TempDir(), "lock"), filepath.Join(ws.Root, workspace.StateDir, "lock")) // out of the workspace: refused
	req := draft(3)
	req.Values.NextAction = "Run `go test ./parse`." // a draft without one is presented later
	made, err := Run(context.Background(), ws, req)
	if err != nil || made.Unlinked == nil {
		t.Fatalf("%v, %v; want one that was written, but not linked", made.Unlinked, err)
	}
	if _, err := os.Stat(filepath.Join(ws.Root, made.Path)); err != nil {
		t.Error(err)
	}
}

// TestNewNumbers refuses numbers that no name is read with: the task, or the
// phase, would be lost.
func TestNewNumbers(t *testing.T) {
	for _, v := range []templates.Values{{Task: 1e9, Phase: 1}, {Task: 1, Phase: 1e6}, {Task: 0, Phase: 1}, {Task: 1, Phase: -1}} {
		req := draft(1)
		req.Values = v
		if path, err := created(context.Background(), open(t), req); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("task %d, phase %d: %s, %v", v.Task, v.Phase, path, err)
		}
	}
	req := draft(1)
	req.Values = templates.Values{Task: handoff.MaxTask, Phase: handoff.MaxPhase}
	path, err := created(context.Background(), open(t), req)
	if n := handoff.ParseName(path); err != nil || n.Task != handoff.MaxTask || n.Phase != handoff.MaxPhase || n.Class != handoff.Canonical {
		t.Errorf("%s, %v", path, err)
	}
}

func TestNewRefuses(t *testing.T) {
	ws := open(t)
	req := draft(3)
	req.Draft = false
	_, err := created(context.Background(), ws, req)
	var refused *RefusedError
	if !errors.As(err, &refused) || len(refused.Findings) == 0 {
		t.Fatalf("%v", err)
	}
	if entries, err := os.ReadDir(ws.Specs()); err != nil || len(entries) > 0 {
		t.Error("a refused document left folders behind")
	}
}
