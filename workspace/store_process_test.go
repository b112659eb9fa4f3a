//go:build unix

package workspace_test

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/testing/killtest"
	"handoff/internal/testing/natstest"
	"handoff/internal/testing/waittest"
	"handoff/log/engine"
	"handoff/log/engine/files"
	"handoff/log/engine/jetstream"
	"handoff/log/receipt"
	"handoff/log/tape"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
	"handoff/workspace/trust"
)

// work is that of one process of this test binary.
type work struct {
	Root   string // of the workspace
	Store  string // folder or address of the store that all workspaces share
	Name   string
	Thread string // post to this thread, and append to a tape
	Steps  int    // how often; 0: all of [work.everything], once
	Claims int    // claim so many handoffs, and nothing else
	DieAt  int    // the append to the store at which the process kills itself; 0: none
	After  bool   // it does so after that append, not before
}

func TestMain(m *testing.M) { killtest.Main[work](m) }

// shared is an engine that several processes use: the files of a folder, or JetStream.
func shared(folder string) (engine.Engine, error) {
	if address, err := engine.ParseAddress(folder); err == nil {
		return jetstream.Open(context.Background(), jetstream.Options{Servers: address.Servers, Stream: address.Stream, Create: true})
	}
	return files.Open(files.Options{Root: nofollow.Root(folder), State: filepath.Join(folder, "logs")})
}

// dying kills its process at an append.
type dying struct {
	engine.Engine
	mu    sync.Mutex
	n, at int
	after bool
}

func (d *dying) Append(ctx context.Context, batches ...engine.Batch) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n++
	if d.n == d.at && !d.after {
		die()
	}
	err := d.Engine.Append(ctx, batches...)
	if d.n == d.at {
		die()
	}
	return err
}

func die() {
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// open opens the workspace of a process.
func (w work) open() (*workspace.Workspace, error) {
	return workspace.Open(w.Root, workspace.Options{Trust: trust.All, OpenStore: func(context.Context, string, engine.Address) (engine.Engine, error) {
		e, err := shared(w.Store)
		return &dying{Engine: e, at: w.DieAt, after: w.After}, err
	}})
}

func (w work) Run() error {
	ws, err := w.open()
	if err != nil {
		return err
	}
	switch {
	case w.Claims > 0:
		return w.claims(ws)
	case w.Steps == 0:
		return w.everything(ws)
	}
	ctx := context.Background()
	all, err := threads.In(ctx, ws, true)
	if err != nil {
		return err
	}
	ts, err := tapes.In(ws, "", true)
	if err != nil {
		return err
	}
	main, err := ts.Store.Tape(tape.Main)
	if err != nil {
		return err
	}
	receipts, err := ws.Receipts()
	if err != nil {
		return err
	}
	for n := range w.Steps {
		e, err := all.PostMessage(ctx, w.Thread, thread.MessageRequest{Content: fmt.Sprint(w.Name, " ", n)})
		if err != nil {
			return err
		}
		fmt.Println("event", e.Seq, e.ID)
		entries, err := main.Handoff(ctx, fmt.Sprint(w.Name, "-", n), nil, nil)
		if err != nil {
			return err
		}
		fmt.Println("entry", entries[0].ID, w.Name, n)
		path := fmt.Sprintf("specs/%d.md", n)
		switch _, err := receipts.Record(ctx, path, claim(w.Name)); {
		case err == nil:
			fmt.Println("claim", n)
		case !errors.As(err, new(*receipt.HeldError)):
			return err
		}
	}
	return nil
}

// claims claims handoffs that others claim at the same time. It repeats what the store
// did not answer in time: on a busy machine an election can take longer than any budget.
func (w work) claims(ws *workspace.Workspace) error {
	receipts, err := ws.Receipts()
	if err != nil {
		return err
	}
	for n := range w.Claims {
		unanswered := error(nil)
		waittest.Within(waittest.Limit, func() bool {
			_, err = receipts.Record(context.Background(), fmt.Sprintf("specs/%d.md", n), claim(w.Name))
			if !errors.Is(err, engine.ErrUnavailable) && !errors.Is(err, engine.ErrUnknown) {
				return true
			}
			unanswered = fmt.Errorf("the store was away for %v: %w", waittest.Limit, err)
			return false
		})
		held := (*receipt.HeldError)(nil)
		switch isHeld := errors.As(err, &held); {
		case err == nil, isHeld && unanswered != nil && held.Holder.By == w.Name: // the claim was recorded
			fmt.Println("claim", n, w.Name)
		case !isHeld:
			return cmp.Or(unanswered, err)
		}
	}
	return nil
}

// everything is one append of each kind, or two; repeating it has no further effect on
// what has a key.
func (w work) everything(ws *workspace.Workspace) error {
	ctx := context.Background()
	all, err := threads.In(ctx, ws, true)
	if err != nil {
		return err
	}
	info, _, err := all.Create(ctx, thread.CreateRequest{Key: "one"})
	if err == nil {
		_, err = all.PostMessage(ctx, info.ThreadID, thread.MessageRequest{Content: w.Name})
	}
	if err == nil {
		_, err = all.Handoff(ctx, info.ThreadID, thread.HandoffRequest{SummaryMarkdown: new("summary"), FromSeq: new(uint64(0)), Key: "two"})
	}
	if err != nil {
		return err
	}
	ts, err := tapes.In(ws, "", true)
	if err != nil {
		return err
	}
	main, err := ts.Store.Tape(tape.Main)
	for n := 0; n < 2 && err == nil; n++ {
		_, err = main.Handoff(ctx, "phase", nil, nil)
	}
	if err != nil {
		return err
	}
	receipts, err := ws.Receipts()
	for _, decide := range []receipt.Decision{claim(w.Name), receipt.Moment{Now: time.Unix(1_790_000_001, 0)}.Acknowledge("x", "", true)} {
		if err == nil {
			_, err = receipts.Record(ctx, "specs/1.md", decide)
		}
		if errors.As(err, new(*receipt.HeldError)) {
			err = nil
		}
	}
	return err
}

// eachStore runs a test on the kinds of stores, each with a function that makes a new one.
func eachStore(t *testing.T, test func(t *testing.T, newStore func() string)) {
	t.Run("files", func(t *testing.T) { test(t, t.TempDir) })
	t.Run("jetstream", func(t *testing.T) {
		servers := natstest.Start(t, natstest.Options{Nodes: 1}).Addresses()
		n := 0
		test(t, func() string {
			n++
			return fmt.Sprintf("%s/CASE-%d", servers[0], n)
		})
	})
}

// twoWorkspaces are the folders of two workspaces of a store.
func twoWorkspaces(t *testing.T) (a, b string) {
	t.Helper()
	a, b = t.TempDir(), t.TempDir()
	for _, root := range []string{a, b} {
		must(t, os.WriteFile(filepath.Join(root, config.File), []byte("store: nats://127.0.0.1:1/TEST\n"), 0o644))
	}
	return a, b
}

// sameFiles brings workspaces up to date, and fails unless each file of the store is in
// all of them with the same bytes, and no other file.
func sameFiles(t *testing.T, store string, roots ...string) {
	t.Helper()
	want := logsIn(t, store)
	for _, root := range roots {
		w, err := work{Root: root, Store: store}.open()
		must(t, err)
		all, err := threads.In(t.Context(), w, false)
		must(t, err)
		must(t, all.Close())
		_, err = w.Receipts()
		must(t, err)
		w.Close() // else it still keeps the folder up to date while the test removes it
		got := logsBelow(t, filepath.Join(root, workspace.StateDir))
		for name, text := range got {
			if want[name] != text {
				t.Fatalf("%s in %s:\n%s\nin the store:\n%s", name, root, text, want[name])
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d files in %s, %d in the store", len(got), root, len(want))
		}
	}
}

// logsIn are the logs of a store, as files.
func logsIn(t *testing.T, store string) map[string]string {
	t.Helper()
	e, err := shared(store)
	must(t, err)
	defer e.Close()
	logs := map[string]string{}
	for info, err := range e.List(t.Context(), "") {
		must(t, err)
		if info.Log == engine.IdentityLog {
			continue
		}
		var text strings.Builder
		for record, err := range e.Read(t.Context(), info.Log, 0) {
			must(t, err)
			text.Write(append(record.Data, '\n'))
		}
		logs[info.Log] = text.String()
	}
	return logs
}

func logsBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	logs := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, dir+"/"))
		if strings.Contains(name, ".jsonl.") && !strings.HasSuffix(name, ".lock") && !strings.Contains(name, ".idx/") {
			t.Errorf("%s was left", path)
		}
		if strings.HasSuffix(name, ".jsonl") {
			src, err := os.ReadFile(path)
			logs[name] = string(src)
			return err
		}
		return nil
	})
	must(t, err)
	return logs
}

// A process is killed before and after each append to the store. Whatever it left, the
// same work can be done again, and all workspaces have the records of the store.
func TestKilledBetweenStoreAndFile(t *testing.T) {
	eachStore(t, killedBetweenStoreAndFile)
}

func killedBetweenStoreAndFile(t *testing.T, newStore func() string) {
	died := true
	for n := 1; died; n++ {
		for _, after := range []bool{false, true} {
			a, b := twoWorkspaces(t)
			store := newStore()
			w := work{Root: a, Store: store, Name: "a", DieAt: n, After: after}
			out, err := killtest.Command(t, w).CombinedOutput()
			if died = err != nil; !died {
				break
			}
			if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() >= 0 {
				t.Fatalf("append %d: %v\n%s", n, err, out)
			}
			w.DieAt = 0
			for _, root := range []string{b, a} {
				w.Root = root
				if out, err := killtest.Command(t, w).CombinedOutput(); err != nil {
					t.Fatalf("after a kill at append %d (after it: %v): %v\n%s", n, after, err, out)
				}
			}
			sameFiles(t, store, a, b)
		}
		if n > 50 {
			t.Fatal("the work does not end")
		}
		if !died && n < 8 {
			t.Fatalf("the work has only %d appends to the store", n-1)
		}
	}
}

// Eight processes in two workspaces write to the same thread, tape and receipts. Two of
// them are killed.
func TestEightProcessesTwoWorkspaces(t *testing.T) {
	eachStore(t, eightProcesses)
}

func eightProcesses(t *testing.T, newStore func() string) {
	const steps = 12
	a, b := twoWorkspaces(t)
	store := newStore()
	w, err := work{Root: a, Store: store}.open()
	must(t, err)
	defer w.Close()
	th, err := threads.In(t.Context(), w, true)
	must(t, err)
	info, _, err := th.Create(t.Context(), thread.CreateRequest{})
	must(t, err)
	must(t, th.Close())

	var all sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]string{} // the reported results, by kind and number
	for n := range 8 {
		all.Go(func() {
			cmd := killtest.Command(t, work{Root: []string{a, b}[n%2], Store: store, Name: string(rune('a' + n)), Thread: info.ThreadID, Steps: steps})
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Error(err)
				return
			}
			lines := 0
			for in := bufio.NewScanner(out); in.Scan(); {
				kind, rest, _ := strings.Cut(in.Text(), " ")
				number, rest, _ := strings.Cut(rest, " ")
				mu.Lock()
				if other, twice := seen[kind+number]; twice {
					t.Errorf("%s %s: %q and %q by %d", kind, number, other, rest, n)
				}
				seen[kind+number] = rest
				mu.Unlock()
				if lines++; n < 2 && lines == 5 {
					cmd.Process.Kill()
				}
			}
			if err := cmd.Wait(); err != nil && n >= 2 {
				t.Error("process", n, err)
			}
		})
	}
	all.Wait()
	sameFiles(t, store, a, b)
	w, err = work{Root: b, Store: store}.open()
	must(t, err)
	th, err = threads.In(t.Context(), w, false)
	must(t, err)
	defer th.Close()
	events := 0
	for e, err := range th.Events(info.ThreadID, 0) {
		must(t, err)
		if id, reported := seen[fmt.Sprint("event", e.Seq)]; reported {
			if events++; id != e.ID {
				t.Errorf("event %d is %s, %s was reported", e.Seq, e.ID, id)
			}
		}
	}
	if reported := countPrefix(seen, "event"); events != reported || reported < 6*steps {
		t.Fatalf("%d of %d reported events are in the thread", events, reported)
	}
	if claims := countPrefix(seen, "claim"); claims < steps-2 || claims > steps {
		t.Fatalf("%d claims of %d handoffs were reported, by 8 processes of which 2 were killed", claims, steps)
	}
}

// Eight processes in two workspaces claim the same handoffs while the leader of the
// cluster is killed, twice. Each handoff is claimed once.
func TestClaimsWhileLeadersDie(t *testing.T) {
	if testing.Short() {
		t.Skip("needs three servers")
	}
	const handoffs = 150
	cluster := natstest.Start(t, natstest.Options{Nodes: 3})
	servers := cluster.Addresses()
	for i := range servers {
		servers[i] = strings.TrimPrefix(servers[i], "nats://")
	}
	store := "nats://" + strings.Join(servers, ",") + "/CLAIMS"
	e, err := shared(store) // creates the stream
	must(t, err)
	must(t, e.Close())
	a, b := twoWorkspaces(t)
	claimed := make(chan string, 8*handoffs)
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			cmd := killtest.Command(t, work{Root: []string{a, b}[n%2], Store: store, Name: string(rune('a' + n)), Claims: handoffs})
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Error(err)
				return
			}
			for in := bufio.NewScanner(out); in.Scan(); {
				claimed <- in.Text()
			}
			if err := cmd.Wait(); err != nil {
				t.Error("process", n, err)
			}
		})
	}
	go func() {
		all.Wait()
		close(claimed)
	}()
	by, kills, victim := map[string]string{}, 0, 0
	for line := range claimed {
		_, line, _ = strings.Cut(line, " ")
		number, name, _ := strings.Cut(line, " ")
		if other, twice := by[number]; twice {
			t.Errorf("handoff %s was claimed by %s and by %s", number, other, name)
		}
		by[number] = name
		if len(by) == handoffs/3 || len(by) == handoffs*2/3 {
			if kills++; kills > 1 {
				cluster.Restart(victim)
			}
			victim = cluster.WaitLeader("CLAIMS")
			cluster.Kill(victim)
		}
	}
	if len(by) != handoffs || kills != 2 {
		t.Fatalf("%d of %d handoffs were claimed, %d leaders were killed", len(by), handoffs, kills)
	}
	for log, text := range logsIn(t, store) {
		if claims := strings.Count(text, `"step":"claimed"`); claims != 1 {
			t.Errorf("%s has %d claims:\n%s", log, claims, text)
		}
	}
	sameFiles(t, store, a, b)
}

func countPrefix(seen map[string]string, prefix string) (n int) {
	for key := range seen {
		if strings.HasPrefix(key, prefix) {
			n++
		}
	}
	return n
}
