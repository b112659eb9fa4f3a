package copy_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/testing/killtest"
	"handoff/log/engine"
	"handoff/log/engine/copy"
	"handoff/log/engine/files"
)

func TestMain(m *testing.M) { killtest.Main[work](m) }

// work is the copy of a store in a process of this test binary. It prints a line for each step that
// changes the target, and then waits for a byte, so that it is never far ahead of the test.
type work struct{ From, To string }

func (w work) Run() error { return copyStores(w.From, w.To) }

func copyStores(from, to string) error {
	source, err := openStore(from)
	if err != nil {
		return err
	}
	target, err := openStore(to)
	if err != nil {
		return err
	}
	_, err = copy.Copy(context.Background(), source, target, copy.Options{Progress: func(p copy.Progress) {
		if p.Stage == copy.Artifacts || p.Stage == copy.Records {
			fmt.Println(p.Stage)
			os.Stdin.Read(make([]byte, 1))
		}
	}})
	return err
}

// openStore opens a folder, or the stream of a server.
func openStore(name string) (engine.Engine, error) {
	if strings.HasPrefix(name, "nats://") {
		return openStream(context.Background(), name)
	}
	return files.Open(files.Options{Root: nofollow.Root(name), State: filepath.Join(name, ".handoff")})
}

// TestKilled kills the process that copies, over and over, and lets another one
// continue.
func TestKilled(t *testing.T) {
	events, blobs := figures()
	from, to := t.TempDir(), t.TempDir()
	fill(t, from, events, blobs)
	t.Logf("%d kills", killed(t, from, to, blobs))
	leftovers(t, to)
	sameTrees(t, to, from)
}

// killed copies a store with processes that are killed until one is done.
func killed(t *testing.T, from, to string, blobs int) (kills int) {
	t.Helper()
	most := max(blobs/6, 8)
	for killedAfter(t, from, to, 1+rand.IntN(most)) {
		kills++
	}
	if kills < 5 {
		t.Errorf("it was killed %d times: too few to mean anything", kills)
	}
	return kills
}

// killedAfter starts the copy and kills it after some steps. It reports false for a copy
// that was faster and ended without an error.
func killedAfter(t *testing.T, from, to string, steps int) bool {
	t.Helper()
	c := killtest.Command(t, work{from, to})
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	changes := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		in.Write([]byte{'\n'}) // it works on while it is killed
		if changes++; changes == steps {
			c.Process.Kill()
		}
	}
	err = c.Wait()
	if err != nil && changes < steps {
		t.Fatalf("it failed by itself: %v", err)
	}
	return err != nil
}

// leftovers removes what killed writers may leave: temporary files and torn lines.
func leftovers(t *testing.T, root string) {
	t.Helper()
	for name := range tree(t, root) {
		if atomicfile.IsTemp(filepath.Base(name)) || strings.Contains(name, ".jsonl.torn-") {
			if err := os.Remove(filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
}
