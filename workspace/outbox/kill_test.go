//go:build unix

package outbox

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"handoff/internal/file/lockfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/testing/killtest"
	"handoff/internal/testing/needs"
	"handoff/log/receipt"
)

// work is that of one process of this test binary.
type work struct {
	Root  string // of the outbox, and of the file that plays the store
	Name  string // the log that it adds to; "" for one that only drains
	Adds  int    // how often, -1 until it is killed
	Large int    // bytes of each request
	Drain bool   // it drains after each request
	DieAt string // it kills itself there: before or after the store has the record
	First int    // number of its first request
}

func TestMain(m *testing.M) { killtest.Main[work](m) }

// Run adds and drains. It prints each request that was reported to it as queued.
func (w work) Run() error {
	b, ctx := boxIn(w.Root, ""), context.Background()
	for n := w.First; w.Adds < 0 || n < w.First+max(w.Adds, 1); n++ {
		if w.Name != "" {
			r := Request{Step: Append, Tape: w.Name, Key: fmt.Sprint(w.Name, "/", n), Why: strings.Repeat("x", w.Large)}
			if _, err := b.Add(ctx, r); err != nil {
				return err
			}
			fmt.Println(r.Key)
		}
		if w.Drain {
			if _, err := b.Drain(ctx, Sender{Send: w.send, Now: time.Now}); err != nil {
				return err
			}
		}
	}
	return nil
}

// send records a request in the file that plays the store, unless it has the key.
// Requests for tapes whose name ends in "!" are refused.
func (w work) send(r Request) (err error) {
	if strings.HasSuffix(r.Tape, "!") {
		return receipt.ErrRefused
	}
	if w.DieAt == "before" {
		die()
	}
	unlock, err := lockfile.Lock(context.Background(), nofollow.Root(w.Root), filepath.Join(w.Root, "store.lock"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	path := filepath.Join(w.Root, "store")
	have, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if !slices.Contains(strings.Split(string(have), "\n"), r.Key) {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		_, err = f.WriteString(r.Key + "\n")
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	if w.DieAt == "after" {
		die()
	}
	return nil
}

func die() {
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// check compares acknowledgements with the outcome: each acknowledged request is in the
// store, refused, or waiting; none is there twice; and those of a log are in order.
func check(t *testing.T, root string, queued []string) (stored, waiting, refused int) {
	t.Helper()
	b := boxIn(root, "")
	requests, err := b.Requests()
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(filepath.Join(root, "store"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	lines := strings.Fields(string(src))
	stored, waiting = len(lines), len(requests)
	for _, r := range requests {
		if !slices.Contains(lines, r.Key) { // else its drainer was killed before it was removed
			lines = append(lines, r.Key)
		}
	}
	kept, err := b.Refused()
	if err != nil {
		t.Fatal(err)
	}
	last, seen := map[string]int{}, map[string]bool{}
	for _, key := range lines {
		log, number, _ := strings.Cut(key, "/")
		n, err := strconv.Atoi(number)
		if was, ok := last[log]; err != nil || ok && n <= was {
			t.Errorf("%s comes after number %d of its log: %v", key, was, err)
		}
		last[log], seen[key] = n, true
	}
	for _, r := range kept {
		if seen[r.Request.Key] {
			t.Errorf("%s is refused, and stored or waiting", r.Request.Key)
		}
		seen[r.Request.Key] = true
	}
	for _, key := range queued {
		if !seen[key] {
			t.Errorf("%s was queued, and is lost", key)
		}
	}
	return stored, waiting, len(kept)
}

// collector gathers the output of processes.
type collector struct {
	mu  sync.Mutex
	all []string
}

func (c *collector) collect(stdout io.Reader) {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		c.mu.Lock()
		c.all = append(c.all, lines.Text())
		c.mu.Unlock()
	}
}

func (c *collector) seen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all) > 20
}

// Processes that add and drain, each killed at random: no request is lost, doubled or
// out of order, and the next drain sends what waits. HANDOFF_KILLS=1000 kills as many.
func TestKilled(t *testing.T) {
	root, c, kills := t.TempDir(), &collector{}, 25
	if text := os.Getenv("HANDOFF_KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	killtest.Plan{
		Processes: 3, Kills: kills, Pause: 40 * time.Millisecond,
		Start: func(i int) *exec.Cmd {
			return killtest.Command(t, work{Root: root, Name: fmt.Sprint("p", i), Adds: -1, Drain: i%3 != 0})
		},
		Collect: c.collect, Seen: c.seen,
	}.Run(t)
	stored, waiting, _ := check(t, root, c.all)
	t.Logf("%d acknowledged, %d stored, %d waiting", len(c.all), stored, waiting)
	if out, err := killtest.Command(t, work{Root: root, Drain: true}).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if stored, waiting, _ = check(t, root, c.all); waiting != 0 || stored < len(c.all) {
		t.Errorf("%d of %d are stored, %d wait", stored, len(c.all), waiting)
	}
}

// A drainer that is killed at a step leaves a request that is sent again, without a
// second record.
func TestKilledAtStep(t *testing.T) {
	for _, step := range []string{"before", "after"} {
		root, c := t.TempDir(), &collector{}
		run := func(w work) {
			t.Helper()
			w.Root = root
			var out bytes.Buffer
			cmd := killtest.Command(t, w)
			cmd.Stdout = &out
			if err := cmd.Run(); (err == nil) != (w.DieAt == "") {
				t.Fatalf("%+v: %v", w, err)
			}
			c.collect(&out)
		}
		run(work{Name: "a", Adds: 2})
		run(work{Name: "b!", Adds: 2})
		run(work{Name: "a", First: 2, Adds: 1, Drain: true, DieAt: step})
		if _, waiting, _ := check(t, root, c.all); waiting != 5 {
			t.Errorf("%s: %d wait after the kill, want 5", step, waiting)
		}
		run(work{Drain: true})
		if stored, waiting, refused := check(t, root, c.all); stored != 3 || waiting != 0 || refused != 2 {
			t.Errorf("%s: %d stored, %d wait, %d refused; want 3, 0 and 2", step, stored, waiting, refused)
		}
	}
}

// On a full disk a request is refused, and those before it are kept and can be sent.
func TestFullDisk(t *testing.T) {
	root, c := t.TempDir(), &collector{}
	ok := killtest.Command(t, work{Root: root, Name: "a", Adds: 3})
	var out, stderr bytes.Buffer
	ok.Stdout = &out
	if err := ok.Run(); err != nil {
		t.Fatal(err)
	}
	full := killtest.Command(t, work{Root: root, Name: "a", First: 3, Adds: 1, Large: 1 << 20})
	needs.FullDisk(t, full)
	full.Stdout, full.Stderr = &out, &stderr
	if err := full.Run(); err == nil || !strings.Contains(stderr.String(), "file too large") {
		t.Fatalf("it did not fail: %v, %s", err, stderr.Bytes())
	}
	c.collect(&out)
	if _, waiting, _ := check(t, root, c.all); len(c.all) != 3 || waiting != 3 {
		t.Errorf("%d acknowledged, %d wait, want 3", len(c.all), waiting)
	}
	b := boxIn(root, "")
	if sent, err := b.Drain(t.Context(), Sender{Send: func(Request) error { return nil }, Now: time.Now}); sent != 3 || err != nil {
		t.Errorf("%d sent, %v", sent, err)
	}
}
