//go:build unix

package histories

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"handoff/internal/testing/needs"
)

// program is the path of the handoff binary: the one that HANDOFF_PROGRAM names, or one that
// TestMain builds.
var program string

func TestMain(m *testing.M) { os.Exit(withProgram(m.Run)) }

// withProgram runs f with the binary.
func withProgram(f func() int) int {
	if program = os.Getenv("HANDOFF_PROGRAM"); program != "" {
		return f()
	}
	dir, err := os.MkdirTemp("", "hh")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "handoff")
	if out, err := exec.Command("go", "build", "-o", program, "handoff/cmd/handoff").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return f()
}

// environment is that of every process in a history: no settings of the user reach git
// or the watch.
func environment(home string) []string {
	keep := []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), needs.Ceilings + "=" + os.Getenv(needs.Ceilings)}
	return append(keep, "HOME="+home, "LC_ALL=C", "TZ=UTC", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com",
		"GIT_EDITOR=true", "GIT_TERMINAL_PROMPT=0", "GIT_ADVICE=0", "XDG_CONFIG_HOME="+filepath.Join(home, "config"))
}

// shell is a folder in which commands run.
type shell struct {
	dir string
	env []string
}

// run runs a script in the folder and returns its output and whether it succeeded.
func (s shell) run(script string, env ...string) (out string, ok bool) {
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir, cmd.Env = s.dir, append(s.env[:len(s.env):len(s.env)], env...)
	b, err := cmd.CombinedOutput()
	return string(b), err == nil
}

// look runs a script that only reads. Git takes no lock for it, so that the watch does
// not wait for the test.
func (s shell) look(script string) string {
	out, _ := s.run(script, "GIT_OPTIONAL_LOCKS=0")
	return out
}

// must runs a script of the test itself, which cannot fail.
func (s shell) must(t testing.TB, script string) string {
	t.Helper()
	out, ok := s.run(script)
	if !ok {
		t.Fatalf("%s\n%s", script, out)
	}
	return out
}
