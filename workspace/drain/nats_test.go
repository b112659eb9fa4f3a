package drain_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/natstest"
	"handoff/internal/testing/waittest"
	"handoff/log/engine"
	"handoff/log/engine/jetstream"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/drain"
	"handoff/workspace/outbox"
	"handoff/workspace/receipts"
	"handoff/workspace/trust"
)

// at opens the workspace in a folder, with the store that its configuration names.
func at(t *testing.T, root string) *workspace.Workspace {
	t.Helper()
	return within(t, root, 10*time.Second)
}

func within(t *testing.T, root string, patience time.Duration) *workspace.Workspace {
	t.Helper()
	ws, err := workspace.Open(root, workspace.Options{Patience: patience,
		Trust: trust.All, OpenStore: func(ctx context.Context, _ string, a engine.Address) (engine.Engine, error) {
			e, err := jetstream.Open(ctx, jetstream.Options{Servers: a.Servers, Stream: a.Stream, Create: true})
			if err != nil {
				return nil, err
			}
			t.Cleanup(func() { e.Close() })
			return e, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ws.Close)
	return ws
}

func put(t *testing.T, root, path, text string) {
	t.Helper()
	full := filepath.Join(root, filepath.FromSlash(path))
	err := os.MkdirAll(filepath.Dir(full), 0o700)
	if err = errors.Join(err, os.WriteFile(full, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

const document = "specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md"

// TestOverNATS: a real server is killed and started again. All agents continue, their
// queued requests are recorded in order and once while several processes drain, and the
// step of a claim that another workspace took over is refused and kept.
func TestOverNATS(t *testing.T) {
	server := natstest.Start(t, natstest.Options{Nodes: 1})
	store := server.Addresses()[0] + "/OUTBOX"
	here, there := t.TempDir(), t.TempDir()
	for _, root := range []string{here, there} {
		put(t, root, ".handoff.yaml", "store: "+store+"\n")
		put(t, root, document, "# Phase 1 Handoff\n\n## Immediate Next Action\nRun `go test ./parse`.\n")
	}
	id := newThread(t, at(t, here))
	book := bookOf(t, here)
	claim, err := book.Claim(t.Context(), receipts.Target{Ref: "1"}, receipt.ClaimRequest{By: "ada", TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}

	server.Kill(0)
	var agents sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		agents.Go(func() {
			for n := range 5 {
				if !post(t, at(t, here), id, fmt.Sprint(name, n)) || !note(t, at(t, here), fmt.Sprint(name, n)) {
					t.Errorf("%s%d: not queued", name, n)
				}
			}
		})
	}
	agents.Wait()
	if r, err := bookOf(t, here).Finish(t.Context(), receipts.Target{Claim: claim.Claim}, ""); err != nil || r.NotRecorded == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := bookOf(t, there).Claim(t.Context(), receipts.Target{Ref: "1"}, receipt.ClaimRequest{By: "eve", TTL: time.Hour, Force: true, Why: "test"}); !outbox.Away(err) {
		t.Errorf("a claim while the store is away: %v", err)
	}

	server.Restart(0)
	waittest.Until(t, "a claim with the server", func() bool {
		_, err := bookOf(t, there).Claim(t.Context(), receipts.Target{Ref: "1"}, receipt.ClaimRequest{By: "eve", TTL: time.Hour, Force: true, Why: "test"})
		return err == nil
	})
	var refused []string
	var mu sync.Mutex
	ctx, cancel := context.WithCancel(t.Context())
	var keepers sync.WaitGroup
	for range 2 {
		keepers.Go(func() {
			drain.Keeper{Every: 10 * time.Millisecond, Open: func() (*workspace.Workspace, error) { return at(t, here), nil }, Say: func(text string) {
				mu.Lock()
				defer mu.Unlock()
				refused = append(refused, text)
			}}.Keep(ctx)
		})
	}
	box, err := at(t, here).Outbox()
	if err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "an empty outbox", func() bool { s, err := box.Size(); return err == nil && s.Requests == 0 })
	cancel()
	keepers.Wait()

	for what, got := range map[string][]string{"messages": said(t, at(t, there), id), "entries": noted(t, at(t, there))} {
		for _, name := range []string{"a", "b"} {
			var want []string
			for n := range 5 {
				want = append(want, fmt.Sprint(name, n))
			}
			of := slices.DeleteFunc(slices.Clone(got), func(s string) bool { return !strings.HasPrefix(s, name) })
			if !slices.Equal(of, want) {
				t.Errorf("%s of %s: %v, want %v", what, name, of, want)
			}
		}
		if len(got) != 10 {
			t.Errorf("%d %s, want 10", len(got), what)
		}
	}
	r, _, err := bookOf(t, there).Life(t.Context(), receipts.Target{Ref: "1"})
	if err != nil || r.State != receipt.Claimed || r.By != "eve" {
		t.Errorf("%+v, %v: a stale claim finished it", r, err)
	}
	kept, err := box.Refused()
	if err != nil || len(kept) != 1 || kept[0].Request.Step != outbox.Done || !strings.Contains(strings.Join(refused, "\n"), "stale claim") {
		t.Errorf("refused: %+v, %v; said %q", kept, err, refused)
	}
}

func bookOf(t *testing.T, root string) *receipts.Book {
	t.Helper()
	book, err := receipts.Open(at(t, root))
	if err != nil {
		t.Fatal(err)
	}
	return book
}

// TestSilentServer: a server that accepts connections and never answers costs one request
// its patience. The next ones are queued without a connection.
func TestSilentServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan net.Conn, 100)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c // and nothing is reported
		}
	}()
	root := t.TempDir()
	put(t, root, ".handoff.yaml", fmt.Sprintf("store: nats://%s/SILENT\n", l.Addr()))
	for range 5 {
		if !note(t, within(t, root, 300*time.Millisecond), "x") {
			t.Error("not queued")
		}
	}
	if n := len(accepted); n == 0 || n > 4 {
		t.Errorf("%d connections for 5 requests, want those of the first, or of two on a machine that stalls", n)
	}
	if _, err := drain.Run(t.Context(), within(t, root, 300*time.Millisecond), drain.Request{}); !outbox.Away(err) || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("%v", err)
	}
}
