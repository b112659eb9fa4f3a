package reconcile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/log/artifact"
	"handoff/workspace/reconcile"
)

const (
	faultVar  = "RECONCILE_TEST_ROOT"
	faultTask = "specs/259_prove"
	faultDoc  = faultTask + "/handoffs/phase-3-handoff-20260212T143022Z.md"
)

// manyTasks are reconciled together.
var manyTasks = []string{faultTask, "specs/1_a", "specs/2_b", "specs/3_c", "specs/4_d", "specs/5_e"}

// TestMain lets the test binary be the process that is killed: it changes the
// document and reconciles, without end.
func TestMain(m *testing.M) {
	if root := os.Getenv(faultVar); root != "" {
		for i := 0; ; i++ {
			if err := changeAndSyncAll(root, i); err != nil && !errors.Is(err, reconcile.ErrChanged) {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
	os.Exit(m.Run())
}

func changeAndSync(root string, i int) error {
	doc := fmt.Sprintf("# Phase 3 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun `step %d`.\n", i)
	if err := os.WriteFile(filepath.Join(root, faultDoc), []byte(doc), 0o644); err != nil {
		return err
	}
	return syncOnce(root)
}

// changeAndSyncAll changes the documents of all tasks and applies the plans of
// all together.
func changeAndSyncAll(root string, i int) error {
	store, err := artifact.Open(root)
	if err != nil {
		return err
	}
	defer store.Close()
	var plans []reconcile.Plan
	for _, task := range manyTasks {
		doc := fmt.Sprintf("# Phase 3 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun `step %d`.\n", i)
		path := filepath.Join(root, task, "handoffs", filepath.Base(faultDoc))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(doc), 0o644)); err != nil {
			return err
		}
		state, err := new(reconcile.Loader).Load(context.Background(), root, store, task)
		if err != nil {
			return err
		}
		state.Create = []string{task + "/handoffs/" + filepath.Base(faultDoc)}
		plans = append(plans, reconcile.Make(state))
	}
	return errors.Join(reconcile.ApplyAll(root, store, plans)...)
}

// TestApplyAll applies the plans of several tasks: only the plan whose file
// another program changed fails, and the one that is not ready any longer.
func TestApplyAll(t *testing.T) {
	root := faultTree(t)
	if err := changeAndSyncAll(root, 0); err != nil {
		t.Fatal(err)
	}
	store, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var plans []reconcile.Plan
	for i, task := range manyTasks {
		path := filepath.Join(root, task, "handoffs", filepath.Base(faultDoc))
		put(t, root, task+"/handoffs/"+filepath.Base(faultDoc), []byte("# Phase 3 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun `go`.\n"))
		state, err := new(reconcile.Loader).Load(t.Context(), root, store, task)
		if err != nil {
			t.Fatal(path, err)
		}
		state.Create = []string{task + "/handoffs/" + filepath.Base(faultDoc)}
		plans = append(plans, reconcile.Make(state))
		if i == 2 {
			put(t, root, task+"/.return-meta.json", []byte(`{"status": "another"}`))
		}
	}
	late := errors.New("too late")
	plans[1].Ready = func() error { return late }
	for i, err := range reconcile.ApplyAll(root, store, plans) {
		src, _ := os.ReadFile(filepath.Join(root, manyTasks[i], ".return-meta.json"))
		switch {
		case i == 2 && (!errors.Is(err, reconcile.ErrChanged) || string(src) != `{"status": "another"}`):
			t.Errorf("%s: %v, %s", manyTasks[i], err, src)
		case i == 1 && (!errors.Is(err, late) || bytes.Contains(src, []byte("Run `go`."))):
			t.Errorf("%s: %v, %s", manyTasks[i], err, src)
		case i != 1 && i != 2 && (err != nil || !bytes.Contains(src, []byte("Run `go`."))):
			t.Errorf("%s: %v, %s", manyTasks[i], err, src)
		}
	}
}

func syncOnce(root string) error {
	store, err := artifact.Open(root)
	if err != nil {
		return err
	}
	defer store.Close()
	state, err := new(reconcile.Loader).Load(context.Background(), root, store, faultTask)
	if err != nil {
		return err
	}
	state.Create = []string{faultDoc}
	return reconcile.Apply(root, store, reconcile.Make(state))
}

// TestKilled kills the process at many moments. Whatever it was doing, the
// metadata is whole, and every bundle it names is in the store and whole.
func TestKilled(t *testing.T) {
	root := faultTree(t)
	linked := false
	for i := range 30 {
		cmd := child(t, root)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(8+3*i) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		linked = checkLinks(t, root, linked)
	}
	if err := changeAndSync(root, -1); err != nil {
		t.Fatal(err)
	}
	checkLinks(t, root, true)
}

// TestFullDisk reconciles on a full disk: nothing is half-written.
func TestFullDisk(t *testing.T) {
	root := faultTree(t)
	path := filepath.Join(root, faultTask, ".return-meta.json")
	before := []byte(`{"status": "in_progress", "note": "` + string(bytes.Repeat([]byte("x"), 6<<10)) + `"}`)
	if err := os.WriteFile(path, before, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := child(t, root)
	needs.FullDisk(t, cmd)
	if out, err := cmd.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("file too large")) {
		t.Fatalf("it did not fail as on a full disk: %v, %s", err, out)
	}
	if got, _ := os.ReadFile(path); !bytes.Equal(got, before) {
		t.Errorf("the metadata became\n%.200s", got)
	}
	if err := syncOnce(root); err != nil {
		t.Fatal(err)
	}
	checkLinks(t, root, true)
}

func faultTree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, faultTask, "handoffs"), 0o755); err != nil {
		t.Fatal(err)
	}
	return root
}

func child(t *testing.T, root string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), faultVar+"="+root)
	return cmd
}

// checkLinks checks that blobs are stored before a file names them. It reports
// whether metadata names one; once it does, it always does.
func checkLinks(t *testing.T, root string, want bool) bool {
	t.Helper()
	linked := want
	for _, task := range manyTasks {
		if _, err := os.Stat(filepath.Join(root, task, ".return-meta.json")); err == nil {
			checkTask(t, root, task)
			linked = linked || task == faultTask
		} else if want && task == faultTask {
			t.Fatal(err)
		}
	}
	return linked
}

func checkTask(t *testing.T, root, task string) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(root, task, ".return-meta.json"))
	var m struct {
		Artifacts []struct {
			Bundle artifact.ID `json:"bundle_artifact_id"`
		}
	}
	if err := errors.Join(err, json.Unmarshal(src, &m)); err != nil || len(m.Artifacts) != 1 {
		t.Fatalf("%v: %s", err, src)
	}
	store, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.Verify(m.Artifacts[0].Bundle); err != nil {
		t.Fatalf("the metadata names %s: %v", m.Artifacts[0].Bundle, err)
	}
}
