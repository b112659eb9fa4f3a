package reconcile_test

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"handoff/log/artifact"
	"handoff/workspace/reconcile"
)

var update = flag.Bool("update", false, "rewrite the want files of the archives")

// TestArchives reconciles the trees in testdata. An archive has the files of a
// workspace; "fresh" lists the documents that were just written; "want/PATH" is
// the expected file, "want/changes" and "want/problems" are the expected
// reports. Files without a want must not change. In wanted files, BUNDLE is the
// right id.
func TestArchives(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d archives, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { testArchive(t, file) })
	}
}

func testArchive(t *testing.T, file string) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	given, want := map[string][]byte{}, map[string][]byte{}
	var fresh []string
	for _, f := range a.Files {
		if f.Name == "fresh" {
			fresh = strings.Fields(string(f.Data))
		} else if name, ok := strings.CutPrefix(f.Name, "want/"); ok {
			want[name] = f.Data
		} else {
			given[f.Name] = f.Data
			put(t, root, f.Name, f.Data)
		}
	}
	store, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	plan := sync(t, root, store, fresh...)
	var problems strings.Builder
	for _, p := range plan.Problems {
		problems.WriteString(p.Path + ": " + p.Text + "\n")
	}
	got := map[string][]byte{}
	if c := strings.Join(plan.Changes, "\n"); c != "" {
		got["changes"] = []byte(c + "\n")
	}
	if problems.Len() > 0 {
		got["problems"] = []byte(problems.String())
	}
	for name, src := range tree(t, root) {
		if !bytes.Equal(src, given[name]) || given[name] == nil {
			got[name] = src
		}
	}
	ids := bundleIDs(t, store)
	for name, src := range got {
		for _, id := range ids {
			src = bytes.ReplaceAll(src, []byte(id), []byte("BUNDLE"))
			src = bytes.ReplaceAll(src, []byte(id[:12]), []byte("BUNDLE"))
		}
		got[name] = src
	}
	if *update {
		rewrite(t, file, a, got)
		return
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s was not wanted:\n%s", name, got[name])
		}
	}
	for name, w := range want {
		if !bytes.Equal(got[name], w) {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", name, got[name], w)
		}
	}
	if again := sync(t, root, store); !again.Empty() || len(again.Changes) > 0 {
		t.Errorf("a second time there is something to do: %v", again.Changes)
	}
}

// sync loads, plans and applies once, in the one task of the workspace.
func sync(t *testing.T, root string, store *artifact.Store, fresh ...string) reconcile.Plan {
	t.Helper()
	tasks, err := filepath.Glob(filepath.Join(root, "specs", "*"))
	if archived, _ := filepath.Glob(filepath.Join(root, "specs", "archive", "*")); len(archived) > 0 {
		tasks = archived
	}
	if err != nil || len(tasks) != 1 {
		t.Fatalf("tasks %v, %v", tasks, err)
	}
	rel, err := filepath.Rel(root, tasks[0])
	if err != nil {
		t.Fatal(err)
	}
	state, err := new(reconcile.Loader).Load(t.Context(), root, store, filepath.ToSlash(rel))
	if err != nil {
		t.Fatal(err)
	}
	state.Fresh, state.Create = fresh, fresh
	plan := reconcile.Make(state)
	if err := reconcile.Apply(root, store, plan); err != nil {
		t.Fatal(err)
	}
	return plan
}

func put(t *testing.T, root, name string, data []byte) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644)); err != nil {
		t.Fatal(err)
	}
}

// tree reads all files below root but the blobs.
func tree(t *testing.T, root string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(root), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if p == ".rip" {
				return fs.SkipDir
			}
			return err
		}
		files[p], err = os.ReadFile(filepath.Join(root, p))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func bundleIDs(t *testing.T, store *artifact.Store) []string {
	t.Helper()
	var ids []string
	for info, err := range store.List() {
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Verify(info.ID); err != nil {
			t.Error(err)
		}
		ids = append(ids, info.ID.String())
	}
	return ids
}

func rewrite(t *testing.T, file string, a *txtar.Archive, got map[string][]byte) {
	t.Helper()
	var files []txtar.File
	for _, f := range a.Files {
		if !strings.HasPrefix(f.Name, "want/") {
			files = append(files, f)
		}
	}
	var names []string
	for name := range got {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		files = append(files, txtar.File{Name: "want/" + name, Data: got[name]})
	}
	a.Files = files
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}
