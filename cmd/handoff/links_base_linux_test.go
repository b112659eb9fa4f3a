package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"handoff/agents"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/internal/testing/waittest"
)

// linkBase is a folder with a world, in which the commands may write, copies of
// that world, and the outside.
//
//	world/tree    the workspace
//	world/store   a store of RIP, which the user names
//	world/named   files that the user names, the home folder, temporary files
//	world/ids     the counter of ids
//	outside       the targets of the links
type linkBase struct{ dir, bin string }

// planted are the folders of the world in which commands must not follow links.
var planted = []string{"tree", "store"}

func newLinkBase(t *testing.T) *linkBase {
	t.Helper()
	dir, err := filepath.EvalSymlinks(treetest.Memory(t))
	if err != nil {
		t.Fatal(err)
	}
	b := &linkBase{dir, commandDir(t)}
	for _, d := range []string{"tree", "store", "ids", "named/home", "named/tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, "world", d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range linkFiles {
		if err := os.WriteFile(filepath.Join(dir, "world/named", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func (b *linkBase) world(path string) string { return filepath.Join(b.dir, "world", path) }

func (b *linkBase) saved(step int) string { return filepath.Join(b.dir, "saved", fmt.Sprint(step)) }

func (b *linkBase) save(t *testing.T, step int) {
	t.Helper()
	if err := os.MkdirAll(b.saved(step), 0o755); err != nil {
		t.Fatal(err)
	}
	treetest.Mirror(t, b.world("."), b.saved(step))
}

func (b *linkBase) restore(t *testing.T, step int) {
	t.Helper()
	treetest.Mirror(t, b.saved(step), b.world("."))
}

func (b *linkBase) shell(t *testing.T, script string) {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir, cmd.Env = b.world("tree"), b.environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", script, err, out)
	}
}

func (b *linkBase) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "RIP_") || strings.HasPrefix(v, "BUB_") || strings.HasPrefix(v, "XDG_") || strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, needs.Ceilings)
	})
	claim, _ := os.ReadFile(b.world("named/claim")) // a scenario may have written one
	relay, _ := os.ReadFile(b.world("named/relay")) // the same, and its agent runs the commands after it
	return append(env, "HANDOFF_CLAIM="+string(claim), agents.RelayVar+"="+string(relay), clockVar+"=2026-02-12T16:05:00Z", idsVar+"="+b.world("ids"), "HOME="+b.world("named/home"), "TMPDIR="+b.world("named/tmp"),
		"VISUAL=", "EDITOR=sh ../named/edit.sh", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "PATH="+b.bin+":"+os.Getenv("PATH"))
}

// arguments are those of a step: @FILE is replaced by the content of the file.
func (b *linkBase) arguments(t *testing.T, st linkStep) (args []string) {
	t.Helper()
	for _, arg := range st.args {
		if file, ok := strings.CutPrefix(arg, "@"); ok {
			text, err := os.ReadFile(filepath.Join(b.world("tree"), file))
			if err != nil {
				t.Fatal(err)
			}
			arg = strings.TrimSpace(string(text))
		}
		args = append(args, arg)
	}
	return args
}

// run runs a step to its end. A step with a visit runs until the visit is over.
// The trace, if there is one, contains the number of the process.
func (b *linkBase) run(t *testing.T, st linkStep, cmd *exec.Cmd, trace string) (output string, code int) {
	t.Helper()
	out := &lockedBuffer{}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = b.world("tree"), b.environment(), out, out
	if st.stdin != "" {
		in, err := os.Open(filepath.Join(cmd.Dir, st.stdin))
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		cmd.Stdin = in
	}
	if st.stdout != "" {
		to, err := os.Create(filepath.Join(cmd.Dir, st.stdout))
		if err != nil {
			t.Fatal(err)
		}
		defer to.Close()
		cmd.Stdout = to
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { cmd.Wait(); close(done) }()
	p := &visited{out: out, done: done, base: b, most: attends}
	if trace != "" { // a traced run has no planted links
		p.most = waittest.Limit
	}
	if st.visit != nil {
		st.visit(t, p)
		endProcess(t, cmd, trace, done)
		if trace != "" && len(p.refused) > 0 {
			t.Errorf("handoff %q refuses %q", st.args, p.refused)
		}
	}
	if !p.waitFor(waittest.Limit, func() bool { return false }) {
		cmd.Process.Kill()
		<-done
		t.Errorf("handoff %q hangs: %s", st.args, out)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// lockedBuffer can be read while a process writes to it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
