package reconcile_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/log/artifact"
	"handoff/workspace/reconcile"
)

// factTask is a task for which Make needs each kind of fact that Load can find: two handoffs
// without a time of day, one of them linked, metadata that names a file which is gone, and a
// bundle that the store lacks.
func factTask(t *testing.T) (root, dir string, store *artifact.Store) {
	t.Helper()
	needs.Tool(t, "git")
	root, dir = t.TempDir(), "specs/1_a"
	put(t, root, dir+"/handoffs/phase-1-handoff-20260212.md", []byte("# Phase 1 Handoff\n\n## Immediate Next Action\nRun `a`.\n"))
	put(t, root, dir+"/handoffs/phase-2-handoff-20260212.md", []byte("# Phase 2 Handoff\n\n## Immediate Next Action\nRun `b`.\n"))
	put(t, root, dir+"/.return-meta.json", []byte(`{"status": "in_progress", "partial_progress": {"stage": "x", "details": "Run it."}, "artifacts": [`+
		`{"type": "handoff", "path": "specs/2_b/handoffs/phase-3-handoff-20260211.md", "bundle_artifact_id": "`+artifact.Sum([]byte("x")).String()+`"}]}`+"\n"))
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "x"}} {
		if out, err := exec.Command("git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v, %s", args, err, out)
		}
	}
	store, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return root, dir, store
}

// TestMakeLooksOnce: a plan follows from the state. Once it is made, it is the same whatever
// happens to the files, and nothing is looked at again.
func TestMakeLooksOnce(t *testing.T) {
	root, dir, store := factTask(t)
	state, err := new(reconcile.Loader).Load(t.Context(), root, store, dir)
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]int{}
	state.World = counted(state.World, asked)
	first := reconcile.Make(state)
	for _, fact := range []string{"modified", "exists", "added", "missing", "blob"} {
		if asked[fact] == 0 {
			t.Errorf("the task does not need %s: the test shows nothing (%v)", fact, asked)
		}
	}
	if asked["added"] > 1 || asked["committed"] > 1 || asked["missing"] > 1 {
		t.Errorf("asked more than once: %v", asked)
	}
	clear(asked)
	later := time.Now().Add(time.Hour)
	for _, name := range []string{dir + "/handoffs/phase-1-handoff-20260212.md", dir + "/.return-meta.json"} {
		if err := os.Chtimes(filepath.Join(root, name), later, later); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := store.Put([]byte("x")); err != nil {
		t.Fatal(err)
	}
	put(t, root, "specs/2_b/handoffs/phase-3-handoff-20260211.md", []byte("x"))
	second := reconcile.Make(state)
	first.Ready, second.Ready = nil, nil
	if !reflect.DeepEqual(first, second) || len(asked) > 0 {
		t.Errorf("asked again: %v\nfirst  %+v\nsecond %+v", asked, first, second)
	}
}

// counted counts the questions to a World.
func counted(w reconcile.World, asked map[string]int) reconcile.World {
	modified, exists, added, committed, missing, blob := w.Modified, w.Exists, w.Added, w.Committed, w.Missing, w.Blob
	w.Modified = func(p string) time.Time { asked["modified"]++; return modified(p) }
	w.Exists = func(p string) bool { asked["exists"]++; return exists(p) }
	w.Added = func() map[string]time.Time { asked["added"]++; return added() }
	w.Committed = func() time.Time { asked["committed"]++; return committed() }
	w.Missing = func(ids []artifact.ID) []artifact.ID { asked["missing"]++; return missing(ids) }
	w.Blob = func(id artifact.ID) []byte { asked["blob"]++; return blob(id) }
	return w
}

// TestMakeUsualTask: a task whose metadata records its handoff needs no file times, no git and no
// blob, so that a pass over many tasks costs none of them.
func TestMakeUsualTask(t *testing.T) {
	root, dir := t.TempDir(), "specs/1_a"
	put(t, root, dir+"/handoffs/phase-1-handoff-20260212T143022Z.md", []byte("# Phase 1 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun `a`.\n"))
	put(t, root, dir+"/.return-meta.json", []byte(`{"status": "partial"}`))
	store, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for i := range 2 {
		state, err := new(reconcile.Loader).Load(t.Context(), root, store, dir)
		if err != nil {
			t.Fatal(err)
		}
		asked := map[string]int{}
		state.World = counted(state.World, asked)
		plan := reconcile.Make(state)
		if i == 0 {
			if err := reconcile.Apply(root, store, plan); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if !plan.Empty() || len(asked) != 1 || asked["missing"] != 1 {
			t.Errorf("asked %v, planned %+v", asked, plan)
		}
	}
}

// TestMakeEnded: a caller that has gone does not wait for git.
func TestMakeEnded(t *testing.T) {
	root, dir, store := factTask(t)
	ctx, cancel := context.WithCancel(t.Context())
	state, err := new(reconcile.Loader).Load(ctx, root, store, dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(state.World.Added()) == 0 || state.World.Committed().IsZero() {
		t.Error("git has nothing")
	}
	cancel()
	if len(state.World.Added()) != 0 || !state.World.Committed().IsZero() {
		t.Error("git was asked for a caller that has gone")
	}
}

// TestOnlyFactsLook: planning asks the state, never its World, so that no answer is used that the
// state does not keep. Only Load and Apply use the disk.
func TestOnlyFactsLook(t *testing.T) {
	disk := map[string][]string{`"os"`: {"load.go"}, `"context"`: {"load.go"}, `"handoff/internal/file/gitindex"`: {"load.go"}, `"handoff/internal/file/atomicfile"`: {"apply.go"}}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range f.Imports {
			if only, ok := disk[imp.Path.Value]; ok && !slices.Contains(only, file) {
				t.Errorf("%s imports %s: only %s may", file, imp.Path.Value, only)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if of, ok := call.Fun.(*ast.SelectorExpr); ok {
				if world, ok := of.X.(*ast.SelectorExpr); ok && world.Sel.Name == "World" && ast.IsExported(of.Sel.Name) && file != "facts.go" {
					t.Errorf("%s calls World.%s: ask the state", file, of.Sel.Name)
				}
			}
			return true
		})
	}
}
