package feed

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"handoff/internal/testing/killtest"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/receipts"
)

// rootVar names the workspace whose feed a process of this test binary keeps.
const rootVar = "FEED_TEST_ROOT"

func TestMain(m *testing.M) {
	if root := os.Getenv(rootVar); root != "" {
		if err := keepUntilKilled(root); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// keepUntilKilled keeps a feed, as a server does, and prints the events that a follower
// gets.
func keepUntilKilled(root string) error {
	f := New(Options{Open: func() (*workspace.Workspace, error) { return workspace.Open(root, workspace.Options{}) },
		Poll: time.Millisecond, Say: func(text string) { fmt.Fprintln(os.Stderr, text) }})
	if _, err := f.Len(context.Background()); err != nil {
		return err
	}
	for rec, err := range f.Follow(context.Background(), 0) {
		if err != nil {
			return err
		}
		fmt.Printf("%s\n", rec.Line)
	}
	return nil
}

// TestKilled: three processes keep one feed and are killed at any moment, while others
// write handoffs and take steps. HANDOFF_KILLS is the number of kills, 24 by default. In
// the end each handoff and each step is in the feed once, in order, and each follower got a
// part of the feed from its start on.
func TestKilled(t *testing.T) {
	kills := 24
	if n, err := strconv.Atoi(os.Getenv("HANDOFF_KILLS")); err == nil {
		kills = n
	}
	w := newTree(t)
	w.byHand(1)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var working sync.WaitGroup
	written := 1
	working.Go(func() {
		for ; ; written++ {
			select {
			case <-stop:
				return
			default:
			}
			var path string
			if written%3 == 0 {
				path = w.create(written + 1) // links it, too
			} else {
				path = w.byHand(written + 1)
			}
			claim := w.claim(path, "codex")
			if _, err := w.book().Release(t.Context(), receipts.Target{Claim: claim}, ""); err != nil {
				t.Error(err)
				return
			}
		}
	})
	var followed atomic.Int64
	var mu sync.Mutex
	var followers [][]string
	killtest.Plan{
		Processes: 3, Kills: kills, Pause: 60 * time.Millisecond,
		Start: func(int) *exec.Cmd {
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), rootVar+"="+w.root)
			return cmd
		},
		Collect: func(out io.Reader) {
			var lines []string
			for s := bufio.NewScanner(out); s.Scan(); {
				lines = append(lines, s.Text())
				followed.Add(1)
			}
			mu.Lock()
			defer mu.Unlock()
			followers = append(followers, lines)
		},
		Seen: func() bool { return followed.Load() > 10 },
	}.Run(t)
	close(stop)
	working.Wait()
	f := w.feed()
	w.update(f)
	all := w.events()
	w.check(all, written)
	src := w.lines()
	for _, lines := range followers {
		for i, line := range lines[:max(len(lines)-1, 0)] { // the last one may be cut off
			if line != src[i] {
				t.Fatalf("a follower got %q as event %d, which is %q", line, i, src[i])
			}
		}
	}
	t.Logf("%d kills, %d handoffs, %d events, %d followers", kills, written, len(all), len(followers))
}

func (w tree) lines() []string {
	files, err := filepath.Glob(filepath.Join(w.root, ".handoff/feeds/*.jsonl"))
	if err != nil || len(files) != 1 {
		w.t.Fatalf("%v, %v", files, err)
	}
	src, err := os.ReadFile(files[0])
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(src), "\n"), "\n")
}

// check compares a feed with the tree and the receipts.
func (w tree) check(all []Event, documents int) {
	w.t.Helper()
	written, linked, steps := map[string]int{}, map[string]bool{}, map[string]uint64{}
	for _, e := range all {
		switch {
		case e.Type == Written:
			written[e.Path]++
		case e.Type == Linked:
			if linked[e.Path+e.Bundle] {
				w.t.Errorf("event %d: linked twice: %+v", e.Seq, e)
			}
			linked[e.Path+e.Bundle] = true
		default:
			if e.Step == nil || *e.Step != steps[e.Path] {
				w.t.Errorf("event %d is not step %d: %+v", e.Seq, steps[e.Path], e)
			}
			steps[e.Path]++
		}
	}
	for path, n := range written {
		if n != 1 {
			w.t.Errorf("%s is written %d times", path, n)
		}
	}
	store, err := w.workspace().Receipts()
	if err != nil {
		w.t.Fatal(err)
	}
	total := 0
	for l, err := range store.Changed(receipt.Seen{}) {
		if err != nil {
			w.t.Fatal(err)
		}
		total++
		if path := l.Steps[0].Handoff; steps[path] != uint64(len(l.Steps)) {
			w.t.Errorf("%s: %d steps in the feed, %d in the receipts", path, steps[path], len(l.Steps))
		}
	}
	if len(written) != documents || len(steps) != total {
		w.t.Errorf("%d handoffs of %d, %d lives of %d", len(written), documents, len(steps), total)
	}
}
