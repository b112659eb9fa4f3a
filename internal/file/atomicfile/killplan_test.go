package atomicfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"handoff/internal/file/nofollow"
	"handoff/internal/testing/needs"
)

// killVar is the variable with the plan of a process that swaps and is killed, as
// JSON.
const killVar = "ATOMICFILE_TEST_KILL"

// killPlan is a call of Swap or Finish during which an agent writes, and which is
// killed before a step.
type killPlan struct {
	Root   nofollow.Root
	Path   string            // of the file; for Finish, the path that Sweep returned
	Finish bool              // call Finish
	Agent  map[string]string // step -> what the agent writes before it
	Rename bool              // the agent renames a file over it instead of writing in place
	Gone   string            // step before which the file is removed
	Die    string            // step before which the process is killed
}

const ours, theirs, newer = "ours", "what the agent wrote", "what the agent wrote then"

func beKilled(plan string) {
	var k killPlan
	err := json.Unmarshal([]byte(plan), &k)
	if err == nil && k.Finish {
		err = finish(k.Root, k.Path, k.step)
	} else if err == nil {
		var s *Swapping
		if s, err = BeginSwap(k.Root, k.Path, []byte("old"), []byte(ours), 0o644); err == nil {
			s.steps = k.step
			err = s.Commit()
		}
	}
	if err != nil && !errors.Is(err, ErrChanged) && !(k.Finish && errors.As(err, new(*SavedError))) || errors.Is(err, errBusy) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func (k killPlan) step(name string) {
	path := k.Path
	if k.Finish {
		h, _ := parseHeld(filepath.Base(k.Path))
		path = h.file(k.Root, k.Path)
	}
	if name == k.Gone {
		os.Remove(path)
	}
	if text, ok := k.Agent[name]; ok {
		delete(k.Agent, name) // once
		if k.Rename {
			side := filepath.Join(filepath.Dir(filepath.Dir(path)), "side")
			os.WriteFile(side, []byte(text), 0o644)
			os.Rename(side, path)
		} else {
			os.WriteFile(path, []byte(text), 0o644)
		}
	}
	if name == k.Die {
		p, _ := os.FindProcess(os.Getpid())
		p.Kill()
		select {}
	}
}

// run executes the plan in a process of its own. The test fails unless the process
// was killed as planned.
func (k killPlan) run(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	plan, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), killVar+"="+string(plan))
	out, _ := cmd.CombinedOutput()
	if killed := cmd.ProcessState.ExitCode() == -1; killed != (k.Die != "") || len(out) > 0 {
		t.Fatalf("killed before %q: %v, it said %s", k.Die, killed, out)
	}
}

func needExchange(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "darwin" { // if the file system can
		a := killFile(t, false).path
		dir := open(t, filepath.Dir(a))
		if err := (exchanging{dir, dir, filepath.Base(a), "other"}).exchange(); errors.Is(err, errors.ErrUnsupported) {
			needs.Missing(t, "exchange", "names cannot be exchanged at once on this file system")
		}
		return
	}
	needs.Linux(t, "names cannot be exchanged at once on this system")
}

// killTree is a tree with one file.
type killTree struct {
	root nofollow.Root
	path string // of the file
}

// inEachPlace runs a test with temporary files in the scratch folder, and beside the
// file.
func inEachPlace(t *testing.T, test func(t *testing.T, scratch bool)) {
	for name, scratch := range map[string]bool{"scratch": true, "beside": false} {
		t.Run(name, func(t *testing.T) { test(t, scratch) })
	}
}

func killFile(t *testing.T, scratch bool) killTree {
	t.Helper()
	root := t.TempDir()
	path := filepath.Join(root, "dir", "f")
	if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("old"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if !scratch {
		return killTree{nofollow.Named, path}
	}
	if err := os.Mkdir(filepath.Join(root, scratchIn), 0o755); err != nil {
		t.Fatal(err)
	}
	return killTree{nofollow.Root(root), path}
}

// sweep returns the unfinished exchanges.
func (x killTree) sweep() []string {
	return append(Sweep(x.root, filepath.Dir(x.path)), SweepScratch(x.root)[x.path]...)
}

// onlyFile checks that there is no other file, nor one in the scratch folder.
func (x killTree) onlyFile(t *testing.T) {
	t.Helper()
	onlyFile(t, filepath.Dir(x.path), filepath.Base(x.path))
	if x.root != nofollow.Named {
		onlyFile(t, scratchPath(x.root), ".gitignore")
	}
}

// recovered does what the next run does, and returns the contents of the files in
// the folder by name, that of a saved file as "saved".
func (x killTree) recovered(t *testing.T) map[string]string {
	t.Helper()
	for range 2 { // a second time changes nothing
		for _, at := range x.sweep() {
			if err := Finish(x.root, at); err != nil && !errors.As(err, new(*SavedError)) {
				t.Error(err)
			}
		}
	}
	entries, err := os.ReadDir(filepath.Dir(x.path))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(x.path), e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		name := e.Name()
		if SavedOf(name) == filepath.Base(x.path) {
			name = "saved"
		}
		files[name] = string(data)
	}
	if x.root != nofollow.Named {
		onlyFile(t, scratchPath(x.root), ".gitignore")
	}
	return files
}
