package reconcile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"handoff/log/artifact"
	"handoff/workspace/reconcile"
)

// TestGiven compares a task that is given with the same task on the disk.
func TestGiven(t *testing.T) {
	const task = "specs/1_x"
	text := func(action string) []byte {
		return []byte("# Phase 1 Handoff - 20260212T143022Z\n\n## Immediate Next Action\n" + action + "\n")
	}
	root := t.TempDir()
	for name, src := range map[string][]byte{
		"handoffs/phase-1-handoff-20260212T143022Z.md": text("Run it."),
		"handoffs/phase-2-handoff-20260212T153022Z.md": text("Run that."),
		"handoffs/large.md":                            []byte(strings.Repeat("x", 1<<20+1)),
		"handoffs/.hidden.md":                          text("Hide."),
		"handoffs/notes.txt":                           text("None."),
		"handoffs/below/x.md":                          text("None."),
		"plans/implementation-001.md":                  []byte("# Old\n\n## Phase 1: a\n"),
		"plans/implementation-002.md":                  []byte("# Plan\n\n## Phase 1: a [COMPLETED]\n\n## Phase 2: b\n"),
		"progress/phase-1-progress.json":               []byte("{"),
		"progress/phase-7-progress.json":               []byte("{"),
		".return-meta.json":                            {},
	} {
		put(t, root, task+"/"+name, src)
	}
	store, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	want, err := new(reconcile.Loader).Load(t.Context(), root, store, task)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	err = filepath.WalkDir(filepath.Join(root, task), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err == nil {
			files[filepath.ToSlash(rel)], err = os.ReadFile(p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	got := reconcile.Given(task, files)
	if len(got.Documents) != 2 || len(want.Documents) != 2 {
		t.Fatalf("%d documents, want %d", len(got.Documents), len(want.Documents))
	}
	for i, d := range got.Documents {
		if w := want.Documents[i]; d.Path != w.Path || d.Name != w.Name || d.Doc.Source != w.Doc.Source {
			t.Errorf("%+v, want %+v", d, w)
		}
	}
	if !reflect.DeepEqual(got.Metadata, want.Metadata) || !reflect.DeepEqual(got.Progress, want.Progress) || !reflect.DeepEqual(got.Plan, want.Plan) {
		t.Errorf("%+v %+v %+v, want %+v %+v %+v", got.Metadata, got.Progress, got.Plan, want.Metadata, want.Progress, want.Plan)
	}
	if len(got.Problems) != 1 || len(want.Problems) != 1 || got.Problems[0].Path != want.Problems[0].Path {
		t.Errorf("%v, want %v", got.Problems, want.Problems)
	}
	for _, p := range []string{".return-meta.json", "progress/phase-1-progress.json"} {
		files[task+"/"+p] = nil
	}
	if got := reconcile.Given(task, files); !got.Metadata.Unreadable || !got.Progress[1].Unreadable || got.Progress[2].Unreadable {
		t.Errorf("links: %+v %+v", got.Metadata, got.Progress)
	}
}
