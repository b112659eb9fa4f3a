//go:build unix

package daemon

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/atomicfile"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/internal/testing/waittest"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/reconcile"
	"handoff/workspace/sync"
	"handoff/workspace/verify"
)

const (
	killedTask = "specs/1_a"
	agentText  = `{"status": "in_progress", "agent": "was here"}`
)

// killedSync kills a sync at its worst moment: sync has exchanged the metadata
// with its new version, and the agent has just written to the old file under
// its new name. The agent has the file open, so sync waits for it.
func killedSync(t *testing.T) *workspace.Workspace {
	t.Helper()
	needs.Linux(t, "names cannot be exchanged at once on this system")
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	treetest.WriteDocument(t, w.Root, killedTask+"/handoffs/phase-1-handoff-20260101T000000Z.md")
	path := filepath.Join(w.Root, killedTask, handoff.MetadataFile)
	if err := os.WriteFile(path, []byte(`{"status": "in_progress"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	agent, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Close()
	sync := spawn(t, w.Root, "sync")
	waittest.Until(t, "the exchange", func() bool { return strings.Contains(readText(t, path), "handoff_path") })
	if _, err := agent.Write([]byte(agentText)); err != nil {
		t.Fatal(err)
	}
	sync.Process.Kill()
	sync.Wait()
	if held := heldFiles(t, w.Root); len(held) != 1 || readText(t, held[0]) != agentText || filepath.Dir(held[0]) != filepath.Join(w.Root, workspace.ScratchDir) {
		t.Fatalf("not killed in the moment that is meant: %q", held)
	}
	return w
}

func readText(t *testing.T, path string) string {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// heldFiles are the files below a folder that exist for a moment only, or were
// set aside.
func heldFiles(t *testing.T, root string) (found []string) {
	t.Helper()
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if name := filepath.Base(path); atomicfile.IsHeld(name) || atomicfile.IsTemp(name) || atomicfile.SavedOf(name) != "" {
			found = append(found, path)
		}
		return err
	})
	return found
}

// agentSurvives checks that the metadata is the agent's, with the link.
func agentSurvives(t *testing.T, w *workspace.Workspace) {
	t.Helper()
	src := readText(t, filepath.Join(w.Root, killedTask, handoff.MetadataFile))
	var m struct {
		Agent    string
		Progress struct {
			HandoffPath string `json:"handoff_path"`
		} `json:"partial_progress"`
	}
	if err := json.Unmarshal([]byte(src), &m); err != nil || m.Agent != "was here" || m.Progress.HandoffPath == "" {
		t.Errorf("%v: %s", err, src)
	}
	if left := heldFiles(t, w.Root); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestKilledSyncThenSync(t *testing.T) {
	w := killedSync(t)
	if err := sync.Run(t.Context(), w, sync.Request{}, func(s sync.Result) error { return s.Err }); err != nil {
		t.Fatal(err)
	}
	agentSurvives(t, w)
}

// TestKilledSyncThenTwo lets two processes end it at once.
func TestKilledSyncThenTwo(t *testing.T) {
	w := killedSync(t)
	a, b := spawn(t, w.Root, "sync"), spawn(t, w.Root, "sync")
	time.Sleep(300 * time.Millisecond)
	for _, p := range []interface{ Kill() error }{a.Process, b.Process} {
		p.Kill()
	}
	a.Wait()
	b.Wait()
	if err := sync.Run(t.Context(), w, sync.Request{}, func(s sync.Result) error { return s.Err }); err != nil {
		t.Fatal(err)
	}
	agentSurvives(t, w)
}

func TestKilledSyncThenWatch(t *testing.T) {
	w := killedSync(t)
	x := watchOf(t, w, nil)
	awaitText(t, filepath.Join(w.Root, killedTask, handoff.MetadataFile), "was here")
	x.linked(killedTask + "/handoffs/phase-1-handoff-20260101T000000Z.md")
	x.stop()
	agentSurvives(t, w)
}

// TestKilledSyncBesideWatch: a watch that runs ends what the sync beside it
// had begun before it writes the same file.
func TestKilledSyncBesideWatch(t *testing.T) {
	w := killedSync(t)
	held := heldFiles(t, w.Root)[0]
	away := filepath.Join(t.TempDir(), filepath.Base(held))
	if err := os.Rename(held, away); err != nil {
		t.Fatal(err)
	}
	x := watchOf(t, w, func(r *Request) { r.Debounce = 100 * time.Millisecond })
	x.linked(killedTask + "/handoffs/phase-1-handoff-20260101T000000Z.md")
	time.Sleep(100 * time.Millisecond) // what it sweeps at its start is swept
	if err := os.Rename(away, held); err != nil {
		t.Fatal(err)
	}
	x.linked(x.write(killedTask, 2))
	x.stop()
	agentSurvives(t, w)
}

// TestKilledSyncThenAgent has an agent continue from the result of the killed
// sync: both contents are kept, and a message reports that.
func TestKilledSyncThenAgent(t *testing.T) {
	w := killedSync(t)
	path := filepath.Join(w.Root, killedTask, handoff.MetadataFile)
	const text = `{"status": "in_progress", "agent": "another"}`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var problems []reconcile.Problem
	for range 2 { // reported until it is removed
		problems = nil
		err := sync.Run(t.Context(), w, sync.Request{}, func(s sync.Result) error {
			problems = append(problems, s.Plan.Problems...)
			return s.Err
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(problems) != 1 || !strings.HasPrefix(problems[0].Path, killedTask+"/.return-meta.json.handoff-saved-") {
			t.Fatalf("%+v", problems)
		}
	}
	saved := filepath.Join(w.Root, problems[0].Path)
	if got := readText(t, saved); got != agentText || !strings.Contains(readText(t, path), `"another"`) {
		t.Errorf("kept %s\nand %s", got, readText(t, path))
	}
	found := ""
	err := verify.Run(t.Context(), w, verify.Request{}, func(v *verify.Result) error {
		for _, f := range v.Files {
			for _, finding := range f.Findings {
				found += finding.Rule + " "
			}
		}
		return v.Err
	})
	if err != nil || found != "kept-aside " {
		t.Errorf("verify found %q, %v", found, err)
	}
	os.Remove(saved)
	if err := sync.Run(t.Context(), w, sync.Request{}, func(s sync.Result) error { t.Errorf("still told: %+v", s); return nil }); err != nil {
		t.Error(err)
	}
}

func awaitText(t *testing.T, path, want string) {
	t.Helper()
	waittest.Until(t, want+" in "+path, func() bool { return strings.Contains(readText(t, path), want) })
}

// TestKilledSyncIdleWatch: a watch that has nothing to write also ends it.
func TestKilledSyncIdleWatch(t *testing.T) {
	w := killedSync(t)
	held := heldFiles(t, w.Root)[0]
	away := filepath.Join(t.TempDir(), filepath.Base(held))
	if err := os.Rename(held, away); err != nil {
		t.Fatal(err)
	}
	x := watchOf(t, w, nil)
	x.linked(killedTask + "/handoffs/phase-1-handoff-20260101T000000Z.md")
	time.Sleep(100 * time.Millisecond)
	if err := os.Rename(away, held); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.Root, killedTask, handoff.MetadataFile)
	// What an exchange does last is an event of the metadata.
	if err := os.Rename(path, path+"x"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+"x", path); err != nil {
		t.Fatal(err)
	}
	awaitText(t, path, "was here")
	awaitText(t, path, "handoff_path")
	x.stop()
	agentSurvives(t, w)
}
