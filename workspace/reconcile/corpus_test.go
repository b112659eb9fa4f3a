package reconcile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/lint"
	"handoff/log/artifact"
	"handoff/workspace/reconcile"
	"handoff/workspace/reconcile/rules"
)

// TestCorpus reconciles copies of real trees: a second run has nothing to do,
// and after removing everything of ours the same ids are restored.
func TestCorpus(t *testing.T) {
	corpus := needs.Folder(t, "HANDOFF_CORPUS")
	trees, err := filepath.Glob(filepath.Join(corpus, "*", "*", "specs"))
	if err != nil || len(trees) == 0 {
		t.Fatalf("no trees in %s: %v", corpus, err)
	}
	tasks, changed, problems := 0, 0, 0
	for _, specs := range trees {
		root := t.TempDir()
		if err := os.CopyFS(filepath.Join(root, "specs"), os.DirFS(specs)); err != nil {
			t.Fatal(err)
		}
		n, c, p := twice(t, root)
		tasks, changed, problems = tasks+n, changed+c, problems+p
		os.RemoveAll(root)
	}
	t.Logf("%d tasks, %d changed, %d problems left alone", tasks, changed, problems)
}

func twice(t *testing.T, root string) (tasks, changed, problems int) {
	t.Helper()
	store, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	dirs := taskDirs(t, root)
	for _, dir := range dirs {
		plan := once(t, root, store, dir)
		problems += len(plan.Problems)
		if !plan.Empty() {
			changed++
		}
	}
	before := tree(t, root)
	if err := os.RemoveAll(filepath.Join(root, ".rip")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		if plan := once(t, root, store, dir); len(plan.Writes) > 0 {
			t.Errorf("%s: a second time: %v", dir, plan.Changes)
		}
	}
	proved(t, root, store, dirs)
	for name, src := range tree(t, root) {
		if string(before[name]) != string(src) {
			t.Errorf("%s changed when the bundles were made again", name)
		}
	}
	return len(dirs), changed, problems
}

// proved checks that nothing is left to derive after reconciling, and that all
// handoffs are linked if the metadata can be read.
func proved(t *testing.T, root string, store *artifact.Store, dirs []string) {
	t.Helper()
	disk := rules.DiskOf(root)
	for _, dir := range dirs {
		state, err := new(reconcile.Loader).Load(t.Context(), root, store, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range rules.Check(state, disk, new(lint.Settings)) {
			switch f.Rule {
			case "stale-bundle", rules.MissingBlob.Name, rules.DamagedBlob.Name, "missed-handoff":
				t.Errorf("after reconciling: %+v", f)
			}
			if f.Derivable {
				t.Errorf("still derivable: %+v", f)
			}
		}
	}
}

func once(t *testing.T, root string, store *artifact.Store, dir string) reconcile.Plan {
	t.Helper()
	state, err := new(reconcile.Loader).Load(t.Context(), root, store, dir)
	if err != nil {
		t.Fatal(err)
	}
	plan := reconcile.Make(state)
	if err := reconcile.Apply(root, store, plan); err != nil {
		t.Fatal(err)
	}
	return plan
}

func taskDirs(t *testing.T, root string) []string {
	t.Helper()
	var dirs []string
	err := fs.WalkDir(os.DirFS(root), "specs", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.Count(p, "/") == 1 && strings.Contains(d.Name(), "_") {
			dirs = append(dirs, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}
