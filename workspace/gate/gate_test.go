package gate

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/config"
)

// TestRefused: what was found decides alone whether the work is done.
func TestRefused(t *testing.T) {
	ok, bad := receipt.Check{Command: "go vet"}, receipt.Check{Command: "go test", Exit: 1, Why: "it ended with exit status 1"}
	for name, c := range map[string]struct {
		found Found
		want  []string
	}{
		"nothing is known":      {Found{}, nil},
		"all succeed":           {Found{Evidence: receipt.Evidence{Checks: []receipt.Check{ok}, Uncommitted: 3}}, nil},
		"one fails":             {Found{Evidence: receipt.Evidence{Checks: []receipt.Check{ok, bad}}}, []string{"`go test` fails: it ended with exit status 1"}},
		"one cannot be started": {Found{Evidence: receipt.Evidence{Checks: []receipt.Check{{Command: "x", Exit: -1, Why: "x cannot be started"}}}}, []string{"`x` fails: x cannot be started"}},
		"an objective is open":  {Found{Open: []string{"Make the tests pass"}}, []string{"1 objective of the progress file is open: Make the tests pass"}},
		"many are": {Found{Open: []string{"1", "2", "3", "4", "5"}},
			[]string{"5 objectives of the progress file are open: 1, 2, 3, 4 and 1 more"}},
		"a file is not committed": {Found{Missing: []string{"a\nb.go"}}, []string{"1 file is not committed: a b.go"}},
		"all of it": {Found{Evidence: receipt.Evidence{Checks: []receipt.Check{bad}}, Open: []string{"x"}, Missing: []string{"a", "b"}},
			[]string{"`go test` fails: it ended with exit status 1", "1 objective of the progress file is open: x", "2 files are not committed: a, b"}},
	} {
		if got := c.found.Refused(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestCheck: commands run in the root, without the user's tokens; objectives are those of a phase,
// or of all; and files are those that the agents changed.
func TestCheck(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	git("init", "-q")
	write(t, root, "specs/1_a/progress/phase-1-progress.json", `{"objectives": [{"description": "first", "status": "done"}, {"description": "left out", "status": "Skipped"}]}`)
	write(t, root, "specs/1_a/progress/phase-3-progress.json", `{"objectives": [{"description": "third", "status": "open"}]}`)
	write(t, root, "specs/1_a/progress/phase-2-progress.json", `{"objectives": [`)
	write(t, root, "mine.go", "")
	git("add", "specs")
	git("commit", "-q", "-m", "first")
	write(t, root, "theirs.go", "")
	t.Setenv("MY_TOKEN", "secret")
	ws := workspace.New(root, config.Default(), workspace.Options{})

	f, err := Check(context.Background(), ws, Request{Commands: [][]string{{"test", "-e", "mine.go"}, {"sh", "-c", "echo $MY_TOKEN; exit 3"}}, Dir: "specs/1_a", Phase: 1, Commits: true, Before: []string{"mine.go"}})
	if err != nil || len(f.Checks) != 2 || f.Checks[0].Exit != 0 || f.Checks[1].Exit != 3 || f.Output != "" || len(f.Open) != 0 || !slices.Equal(f.Missing, []string{"theirs.go"}) || f.Uncommitted != 2 || len(f.Commit) < 40 {
		t.Errorf("%+v, %v", f, err)
	}
	f, err = Check(context.Background(), ws, Request{Commands: [][]string{{"no-such-program"}}, Dir: "specs/1_a"})
	if err != nil || !slices.Equal(f.Open, []string{"third"}) || f.Missing != nil || f.Checks[0].Exit != -1 || f.OK() {
		t.Errorf("all phases: %+v, %v", f, err)
	}
	if f, err = Check(context.Background(), ws, Request{}); err != nil || f.Open != nil || f.Checks != nil {
		t.Errorf("nothing is asked: %+v, %v", f, err)
	}
	slow := config.Default()
	slow.Checks.Timeout = time.Millisecond
	ws = workspace.New(root, slow, workspace.Options{})
	for atLeast, ok := range map[time.Duration]bool{0: false, time.Minute: true} {
		if f, err = Check(context.Background(), ws, Request{Commands: [][]string{{"sleep", "0.1"}}, AtLeast: atLeast}); err != nil || f.OK() != ok {
			t.Errorf("at least %s: %+v, %v", atLeast, f, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = Check(ctx, ws, Request{Commands: [][]string{{"true"}}}); err == nil {
		t.Error("an interrupted check has a result")
	}
}
