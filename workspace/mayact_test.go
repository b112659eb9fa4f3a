package workspace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/log/engine"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/stores"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

// TestStoreNotTrusted: a store of a workspace that the user has not trusted is never opened.
// What this machine has can be read; nothing is written that other machines would not see.
func TestStoreNotTrusted(t *testing.T) {
	ctx, root, trusted := t.Context(), t.TempDir(), true
	path := filepath.Join(root, config.File)
	must(t, os.WriteFile(path, []byte("max_lines: 50\n"), 0o644))
	var said []string
	w, err := workspace.Open(root, workspace.Options{Say: func(line string) { said = append(said, line) },
		Trust: func(string, config.Config) error {
			if trusted {
				return nil
			}
			return errors.New("type something")
		},
		OpenStore: func(context.Context, string, engine.Address) (engine.Engine, error) {
			if !trusted {
				t.Error("the store was opened")
			}
			return nil, engine.ErrUnavailable
		}})
	must(t, err)
	receipts, err := w.Receipts()
	must(t, err)
	_, err = receipts.Record(ctx, "specs/1.md", claim("ada"))
	must(t, err)
	trusted = false
	must(t, os.WriteFile(path, []byte("store: nats://127.0.0.1:1/TEST\n"), 0o644))
	must(t, w.Reload())
	if receipts, err = w.Receipts(); err != nil {
		t.Fatal(err)
	}
	if life, err := receipts.Life("specs/1.md"); err != nil || len(life.Steps) != 1 {
		t.Errorf("what this machine has: %+v, %v", life.Steps, err)
	}
	for _, p := range []string{"specs/1.md", "specs/2.md"} {
		if _, err := receipts.Record(ctx, p, claim("bob")); !errors.Is(err, stores.ErrNotTrusted) || !strings.Contains(err.Error(), "type something") {
			t.Errorf("a claim: %v", err)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "nats://127.0.0.1:1/TEST") || !strings.Contains(said[0], "type something") {
		t.Errorf("said %q", said)
	}
	_, err = threads.In(ctx, w, true)
	_, tapes := tapes.In(w, "", false)
	_, store := w.Store(ctx)
	_, blobs := w.Blobs().Get(ctx, strings.Repeat("0", 64))
	for what, err := range map[string]error{"threads": err, "tapes": tapes, "store": store, "artifacts": blobs} {
		if !errors.Is(err, stores.ErrNotTrusted) || !strings.Contains(err.Error(), "type something") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := w.Refresh(ctx); err != nil {
		t.Errorf("a command that only reads: %v", err)
	}
	if box, err := w.Outbox(); err != nil {
		t.Error(err)
	} else if size, err := box.Size(); err != nil || size.Requests > 0 {
		t.Errorf("the outbox has %+v, %v", size, err)
	}
	trusted = true // in the same process
	if receipts, err = w.Receipts(); err != nil {
		t.Fatal(err)
	}
	if _, err := receipts.Record(ctx, "specs/2.md", claim("bob")); !errors.Is(err, engine.ErrUnavailable) {
		t.Errorf("after the user has trusted it: %v", err)
	}
}

// TestNobodyTrusts: a program that passes no trust lets nothing act.
func TestNobodyTrusts(t *testing.T) {
	if workspace.New(t.TempDir(), config.Default(), workspace.Options{}).MayAct() == nil {
		t.Error("everything may act")
	}
}
