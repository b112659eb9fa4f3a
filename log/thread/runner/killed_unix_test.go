//go:build unix

package runner_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"handoff/internal/testing/killtest"
	"handoff/internal/testing/waittest"
	"handoff/log/thread"
	"handoff/log/thread/runner"
)

// ready is a writer that signals the first bytes.
type ready struct {
	once sync.Once
	c    chan struct{}
}

func (r *ready) Write(p []byte) (int, error) {
	r.once.Do(func() { close(r.c) })
	return len(p), nil
}

// TestCancel ends a run in all the ways there are, with all that it started.
func TestCancel(t *testing.T) {
	heeded := make(chan os.Signal, 1) // a process started while SIGINT is ignored cannot trap it
	signal.Notify(heeded, os.Interrupt)
	defer signal.Stop(heeded)
	b := newBench(t)
	for _, c := range []struct {
		name, script string
		grace        time.Duration // a busy machine needs long to run a trap
		how          func(cancel context.CancelCauseFunc, id string)
		says         string
	}{
		{"the context", `trap 'echo got TERM; exit 0' TERM; echo ready; while :; do sleep 0.05; done`, waittest.Limit,
			func(cancel context.CancelCauseFunc, _ string) { cancel(nil) }, "ready\ngot TERM\n"},
		{"SIGINT", `trap 'echo got INT; exit 0' INT; echo ready; while :; do sleep 0.05; done`, waittest.Limit,
			func(cancel context.CancelCauseFunc, _ string) { cancel(runner.Signal{Signal: os.Interrupt}) }, "ready\ngot INT\n"},
		{"another process", `trap 'echo got TERM; exit 0' TERM; echo ready; while :; do sleep 0.05; done`, waittest.Limit,
			func(_ context.CancelCauseFunc, id string) {
				if err := runner.Cancel(t.Context(), b.store, b.folder, id); err != nil {
					t.Error(err)
				}
			}, "ready\ngot TERM\n"},
		{"force", `trap '' TERM; echo ready; while :; do sleep 0.05; done`, 300 * time.Millisecond,
			func(cancel context.CancelCauseFunc, _ string) { cancel(nil) }, "ready\n"},
		{"a child of the command", `sleep 600 & echo ready; wait`, waittest.Limit,
			func(cancel context.CancelCauseFunc, _ string) { cancel(nil) }, "ready\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			o := b.options("m", c.script)
			o.Grace = c.grace
			said := &ready{c: make(chan struct{})}
			o.Stdout = said
			run, err := runner.Start(ctx, o)
			if err != nil {
				t.Fatal(err)
			}
			if live, err := runner.Live(b.store, b.folder); err != nil || len(live) != 1 || live[0].RunID != run.ID || live[0].PID != os.Getpid() {
				t.Errorf("live: %+v, %v", live, err)
			}
			if killed, err := runner.Reap(t.Context(), b.store, b.folder, time.Now()); len(killed) > 0 || err != nil {
				t.Errorf("closed a live run: %+v, %v", killed, err)
			}
			done := make(chan runner.Result, 1)
			go func() {
				r, err := run.Finish(ctx)
				if err != nil {
					t.Error(err)
				}
				done <- r
			}()
			<-said.c
			begun := time.Now()
			c.how(cancel, run.ID)
			if r := <-done; r.Reason != "cancelled" {
				t.Errorf("%+v", r)
			}
			if took := time.Since(begun); c.grace == waittest.Limit && took >= c.grace {
				t.Errorf("it ended only when its time was up, after %v", took)
			}
			if _, output, reason := b.session(run.ID); output != c.says || reason != "cancelled" {
				t.Errorf("kept %q, %q", output, reason)
			}
			if held := b.held(); len(held) > 0 {
				t.Errorf("left: %q", held)
			}
		})
	}
	if err := runner.Cancel(t.Context(), b.store, b.folder, "nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a run that is not there: %v", err)
	}
}

// process starts a process that runs a command, whose script prints a process id first.
func (b *bench) process(script string) (cmd *exec.Cmd, out io.Reader, pid int) {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd = exec.Command(self)
	cmd.Env = append(os.Environ(), childVar+"="+b.root, "RUNNER_TEST_SCRIPT="+script)
	cmd.Stderr = os.Stderr
	if out, err = cmd.StdoutPipe(); err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = fmt.Fscan(out, &pid)
	}
	if err != nil {
		b.Fatal(err)
	}
	return cmd, out, pid
}

// TestKilled kills processes that run commands. The next process that reads
// them closes their runs, once, however many do so at the same time.
func TestKilled(t *testing.T) {
	b := newBench(t)
	const processes = 4
	var pids []int
	for range processes {
		cmd, out, pid := b.process(`echo $$; while :; do sleep 0.05; done`)
		pids = append(pids, pid)
		if _, err := runner.Reap(t.Context(), b.store, b.folder, time.Now()); err != nil {
			t.Fatal(err)
		}
		cmd.Process.Kill()
		io.Copy(io.Discard, out)
		cmd.Wait()
	}
	live, err := runner.Live(b.store, b.folder)
	if err != nil || len(live) != 1 { // the first ones were closed on the way
		t.Errorf("%d runs, %v", len(live), err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := runner.Reap(t.Context(), b.store, b.folder, time.Now()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if open := openRuns(t, b.store, b.thread); open > 0 {
		t.Errorf("%d open runs", open)
	}
	ended := 0
	for e, err := range b.store.Events(b.thread, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := e.Payload.(*thread.RunEnded); ok {
			ended++
			_, output, reason := b.session(p.RunSessionID)
			if p.Reason != "killed" || reason != "killed" || !strings.Contains(strconv.Itoa(pids[ended-1])+"\n", output) {
				t.Errorf("run %d ended: thread %q, session %q, output %q", ended, p.Reason, reason, output)
			}
		}
	}
	if ended != processes {
		t.Errorf("%d runs were ended, want %d", ended, processes)
	}
	if held := b.held(); len(held) > 0 {
		t.Errorf("left: %q", held)
	}
	if _, err := os.Stat("/proc/self"); err == nil { // Linux: the commands went with them
		for _, pid := range pids {
			waittest.Until(t, fmt.Sprintf("the end of command %d, whose process was killed", pid), func() bool { return !killtest.Alive(pid) })
		}
	}
}

// TestKilledWithAll kills a process that runs a command: what the command has
// started in the background ends, too.
func TestKilledWithAll(t *testing.T) {
	b := newBench(t)
	cmd, _, pid := b.process(`sh -c 'sleep 600 & echo $!; wait' & wait`)
	cmd.Process.Kill()
	cmd.Wait()
	defer syscall.Kill(pid, syscall.SIGKILL)
	waittest.Until(t, fmt.Sprintf("the end of process %d, which the command had started", pid), func() bool { return !killtest.Alive(pid) })
}

// TestKilledAtAnyTime kills a process that runs a command sooner and later.
func TestKilledAtAnyTime(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	b := newBench(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for i := 0; i < 40 || seen == 0 && i < 1000; i++ { // a busy machine takes longer to begin
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), childVar+"="+b.root, "RUNNER_TEST_SCRIPT=echo said; sleep 0.02; echo more")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i) * 3 * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		// A command that was being started has all files of its starter until
		// it is itself, the lock among them.
		waittest.Until(t, "the run to be closed", func() bool {
			killed, err := runner.Reap(t.Context(), b.store, b.folder, time.Now())
			if err != nil {
				t.Fatalf("after %d ms: %v", 3*i, err)
			}
			seen += len(killed)
			return openRuns(t, b.store, b.thread) == 0
		})
	}
	spawned, reasons := 0, map[string]int{}
	for e, err := range b.store.Events(b.thread, 0) {
		if err != nil {
			t.Fatal(err)
		}
		switch p := e.Payload.(type) {
		case *thread.RunSpawned:
			spawned++
		case *thread.RunEnded:
			reasons[p.Reason]++
			if _, ok, err := b.store.SessionEnded(p.RunSessionID); err == nil && !ok {
				t.Errorf("the session of run %s has no end", p.RunSessionID)
			}
		}
	}
	if reasons["killed"]+reasons["completed"] != spawned || reasons["killed"] == 0 {
		t.Errorf("%d runs, ended: %v", spawned, reasons)
	}
	if _, err := runner.Reap(t.Context(), b.store, b.folder, time.Now().Add(2*time.Hour)); err != nil {
		t.Error(err)
	}
	for _, name := range b.held() {
		if !strings.HasPrefix(name, ".") { // left by a killed write
			t.Errorf("left: %s", name)
		}
	}
}

// openRuns counts the runs of a thread that were started and have not ended.
func openRuns(t *testing.T, store *thread.Store, id string) int {
	t.Helper()
	open := map[string]bool{}
	for e, err := range store.Events(id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		switch p := e.Payload.(type) {
		case *thread.RunSpawned:
			open[p.RunSessionID] = true
		case *thread.RunEnded:
			delete(open, p.RunSessionID)
		}
	}
	return len(open)
}
