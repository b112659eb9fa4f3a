package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/waittest"
	"handoff/workspace"
)

// TestWatchOtherStore: a watch rereads a changed configuration, and reports that the
// store has changed; an invalid configuration changes nothing.
func TestWatchOtherStore(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "specs"), 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(root, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var said []string
	x := watchOf(t, w, func(r *Request) {
		r.Look = 10 * time.Millisecond
		r.Say = func(text string) {
			mu.Lock()
			defer mu.Unlock()
			said = append(said, text)
		}
	})
	defer x.stop()
	says := func(part string) func() bool {
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			return strings.Contains(strings.Join(said, "\n"), part)
		}
	}
	write := func(text string) {
		t.Helper()
		next := filepath.Join(root, ".handoff.yaml.new")
		err := os.WriteFile(next, []byte(text), 0o644)
		if err == nil {
			err = os.Rename(next, filepath.Join(root, ".handoff.yaml"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write("store: nowhere:1\n")
	waittest.Until(t, "a complaint", says("the previous configuration stays in use"))
	write("store: nats://127.0.0.1:1/TEST\n")
	waittest.Until(t, "the store", says("the store is now nats://127.0.0.1:1/TEST"))
}
