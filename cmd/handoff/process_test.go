package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
	"handoff/surface/command"
)

// programIn runs the real main in a folder, as a separate process.
func programIn(t *testing.T, bin, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "handoff"), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), clockVar+"=2026-02-12T16:05:00Z")
	return cmd
}

// trustRoots trusts repositories in a test about something else.
func trustRoots(t *testing.T, roots ...string) {
	t.Helper()
	t.Setenv("HANDOFF_TRUST", strings.Join(roots, string(filepath.ListSeparator)))
}

const raceValues = `next_action: Run ` + "`go test`" + ` in values.yaml.
state: {file: values.yaml, location: Line 1, goal: tests pass}
decisions: [None]
dead_ends: [None]
context: [None]
references: [values.yaml]
`

// TestNewRace: 64 processes write a handoff of the same phase in the same
// second. Each must write its own file and print that file's name, which is at most two
// seconds ahead. The newest by its name is what the metadata presents.
func TestNewRace(t *testing.T) {
	if testing.Short() {
		t.Skip("starts 64 processes")
	}
	const processes = 64
	bin, dir := commandDir(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "values.yaml"), []byte(raceValues), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "specs"), 0o755); err != nil {
		t.Fatal(err)
	}
	paths := make([]string, processes)
	var wg sync.WaitGroup
	for i := range processes {
		wg.Go(func() {
			cmd := programIn(t, bin, dir, "new", "--task", "259", "--slug", "race", "--phase", "3", "--from", "values.yaml",
				"--context", fmt.Sprintf("process %d", i))
			var talk bytes.Buffer
			cmd.Stderr = &talk
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("process %d: %v: %s", i, err, talk.String())
			}
			paths[i] = strings.TrimSpace(string(out))
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	seen := map[string]int{}
	for i, p := range paths {
		if j, taken := seen[p]; taken {
			t.Errorf("%d and %d both wrote %s", i, j, p)
		}
		seen[p] = i
		src, err := os.ReadFile(filepath.Join(dir, p))
		if err != nil || !strings.Contains(string(src), fmt.Sprintf("- process %d\n", i)) {
			t.Errorf("%s is not what process %d wrote: %v", p, i, err)
		}
		stamp := p[strings.LastIndex(p, "-")+1 : len(p)-len(".md")]
		if second := stamp[:len("20260212T160500")]; !strings.HasPrefix(string(src), "# Phase 3 Handoff - "+second+"Z\n") || second > "20260212T160502" {
			t.Errorf("%s has another time in its title, or is in the future", p)
		}
	}
	meta, err := os.ReadFile(filepath.Join(dir, "specs/259_race/.return-meta.json"))
	if last := slices.Max(paths); err != nil || !strings.Contains(string(meta), `"handoff_path": "`+last+`"`) {
		t.Errorf("the metadata does not present %s: %v", last, err)
	}
	if out, err := programIn(t, bin, dir, "lint").CombinedOutput(); err != nil {
		t.Errorf("lint: %v\n%s", err, out)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "specs/259_race/handoffs"))
	if err != nil || len(entries) != processes {
		t.Errorf("%d files: %v", len(entries), err)
	}
}

// TestClosedStdout is `handoff lint | head -1`: the process ends at once and
// prints no error.
func TestClosedStdout(t *testing.T) {
	needs.Unix(t, "Windows has no broken pipes of this kind")
	bin, dir := commandDir(t), t.TempDir()
	folder := filepath.Join(dir, "specs/1_a/handoffs")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 2000 { // more than pipes and buffers can take
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("report-%04d.md", i)), []byte("# Report\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"lint"}, {"lint", "--format", "json"}, {"lint", "--format", "sarif"}, {"ls", "--json"}, {"ls", "--format", "{{.Path}} {{.Path}} {{.Path}}"}} {
		cmd := programIn(t, bin, dir, args...)
		var talk bytes.Buffer
		cmd.Stderr = &talk
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReaderSize(out, 16).ReadByte(); err != nil {
			t.Errorf("%q: nothing to read: %v", args, err)
		}
		out.Close()
		err = cmd.Wait()
		if err == nil {
			t.Errorf("%q: all was written, which says nothing", args)
		}
		if talk.Len() > 0 {
			t.Errorf("%q: %v: %s", args, err, talk.String())
		}
	}
}

// TestInterrupt interrupts commands that wait for input: a command that writes
// files exits with the code for an error, any other is ended by the signal.
func TestInterrupt(t *testing.T) {
	needs.Unix(t, "Windows has no such signal")
	bin, dir := commandDir(t), t.TempDir()
	heedInterrupts(t)
	const bySignal = -1
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"lint", "-"}, bySignal},
		{[]string{"lint", "--fix", "-"}, command.Failed},
		{[]string{"new", "--task", "1", "--phase", "1", "--from", "-"}, command.Failed},
	} {
		args := c.args
		cmd := programIn(t, bin, dir, args...)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// More than the pipe can take: once it is written, the command has read
		// a part and waits for the rest.
		if _, err := io.WriteString(in, strings.Repeat("# Phase\n", 32<<10)); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case <-done:
			if code := cmd.ProcessState.ExitCode(); code != c.code {
				t.Errorf("%q: exit code %d, want %d", args, code, c.code)
			}
		case <-time.After(waittest.Limit):
			cmd.Process.Kill()
			t.Errorf("%q: still waits", args)
		}
		in.Close()
	}
}

// heedInterrupts lets SIGINT end the processes that a test starts even if the
// test itself was started with SIGINT ignored, as a shell without job control
// does for background commands.
func heedInterrupts(t *testing.T) {
	heeded := make(chan os.Signal, 1)
	signal.Notify(heeded, os.Interrupt)
	t.Cleanup(func() { signal.Stop(heeded) })
}
