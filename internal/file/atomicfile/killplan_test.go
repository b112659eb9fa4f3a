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
		err = finish(nofollow.Named, k.Path, k.step)
	} else if err == nil {
		var s *Swapping
		if s, err = BeginSwap(nofollow.Named, k.Path, []byte("old"), []byte(ours), 0o644); err == nil {
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
		path = filepath.Join(filepath.Dir(k.Path), h.base)
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
		a := killFile(t)
		dir := open(t, filepath.Dir(a))
		if err := (exchanging{dir, filepath.Base(a), "other"}).exchange(); errors.Is(err, errors.ErrUnsupported) {
			needs.Missing(t, "exchange", "names cannot be exchanged at once on this file system")
		}
		return
	}
	needs.Linux(t, "names cannot be exchanged at once on this system")
}

func killFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dir", "f")
	if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("old"), 0o644)); err != nil {
		t.Fatal(err)
	}
	return path
}

// recovered does what the next run does, and returns the contents of the files in
// the folder by name, that of a saved file as "saved".
func recovered(t *testing.T, path string) map[string]string {
	t.Helper()
	for range 2 { // a second time changes nothing
		for _, at := range Sweep(nofollow.Named, filepath.Dir(path)) {
			if err := Finish(nofollow.Named, at); err != nil && !errors.As(err, new(*SavedError)) {
				t.Error(err)
			}
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(path), e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		name := e.Name()
		if SavedOf(name) == filepath.Base(path) {
			name = "saved"
		}
		files[name] = string(data)
	}
	return files
}
