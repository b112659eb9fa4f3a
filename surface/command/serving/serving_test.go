package serving

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/internal/testing/waittest"
	"handoff/log/engine"
	"handoff/log/engine/enginetest"
	"handoff/workspace"
	"handoff/workspace/trust"
)

// TestServingOtherStore: a server that runs opens another store when the configuration
// names it, and keeps its own while the configuration is invalid or the files are not a
// copy of the other one.
func TestServingOtherStore(t *testing.T) {
	root := t.TempDir()
	config := filepath.Join(root, ".handoff.yaml")
	name := func(text string) {
		t.Helper()
		if err := os.WriteFile(config+".new", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(config+".new", config); err != nil {
			t.Fatal(err)
		}
	}
	stores := map[string]*enginetest.Memory{"A": {}, "B": {}, "EMPTY": {}}
	open := func() (*workspace.Workspace, error) {
		return workspace.Open(root, workspace.Options{Trust: trust.All, OpenStore: func(_ context.Context, _ string, a engine.Address) (engine.Engine, error) {
			return stores[a.Stream], nil
		}})
	}
	name("store: nats://127.0.0.1:1/A\n")
	ws, err := open()
	if err != nil {
		t.Fatal(err)
	}
	now, err := openServing(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	defer now.close()
	if _, err := now.threads.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	for info, err := range stores["A"].List(t.Context(), "") { // as `store copy` does
		if err != nil {
			t.Fatal(err)
		}
		for r, err := range stores["A"].Read(t.Context(), info.Log, 0) {
			if err == nil {
				err = stores["B"].Append(t.Context(), engine.Batch{Log: info.Log, Expected: r.Number, Records: [][]byte{r.Data}})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	next, failed := make(chan *serving, 1), make(chan error, 10)
	go func() {
		next <- now.replaced(t.Context(), 5*time.Millisecond, open, func(err error) { failed <- err })
	}()
	name("store: [\n")
	name("store: nats://127.0.0.1:1/EMPTY\n")
	waittest.For(t, "the error of a store with other logs", failed)
	name("store: nats://127.0.0.1:1/B\n")
	fresh := waittest.For(t, "the other store", next)
	defer fresh.close()
	if fresh.store() != "nats://127.0.0.1:1/B" {
		t.Errorf("the store is %s", fresh.store())
	}
}
