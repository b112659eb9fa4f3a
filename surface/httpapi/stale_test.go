package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/engine"
	"handoff/engine/enginetest"
	"handoff/workspace"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
	"handoff/workspace/trust"
)

// TestStale: an answer that was read from the copy of a store that does not answer says so,
// and none that the store has confirmed.
func TestStale(t *testing.T) {
	root, store, away := t.TempDir(), &enginetest.Memory{}, false
	dir := filepath.Join(root, "specs", "1_first", "handoffs")
	err := os.MkdirAll(dir, 0o755)
	for path, text := range map[string]string{filepath.Join(root, ".handoff.yaml"): "store: nats://127.0.0.1:1/TEST\n",
		filepath.Join(dir, "phase-1-handoff-20260212T143022Z.md"): "# Phase 1 Handoff\n\n## Immediate Next Action\nRun `go test ./parse`.\n"} {
		err = errors.Join(err, os.WriteFile(path, []byte(text), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
	ask := func(path string) *httptest.ResponseRecorder {
		open := func() (*workspace.Workspace, error) {
			return workspace.Open(root, workspace.Options{Patience: time.Minute, Trust: trust.All, OpenStore: func(context.Context, string, engine.Address) (engine.Engine, error) {
				if away {
					return nil, fmt.Errorf("no answer: %w", engine.ErrUnavailable)
				}
				return store, nil
			}})
		}
		ws, err := open()
		if err != nil {
			t.Fatal(err)
		}
		defer ws.Close()
		tapes, err := tapes.In(ws, "", true)
		if err != nil {
			t.Fatal(err)
		}
		defer tapes.Close()
		threads, err := threads.In(t.Context(), ws, true)
		if err != nil {
			t.Fatal(err)
		}
		defer threads.Close()
		w := httptest.NewRecorder()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		New(Config{Open: open, Threads: threads, Tapes: tapes, Reads: ws, Log: slog.New(slog.DiscardHandler)}).handler.
			ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1"+path, nil).WithContext(ctx))
		return w
	}
	for _, path := range []string{"/handoffs/next", "/handoffs/1%2F1/receipts", "/overview", "/tapes"} {
		for _, away = range []bool{false, true} {
			w := ask(path)
			if w.Code != 200 {
				t.Fatalf("%s: %d %s", path, w.Code, w.Body)
			}
			if got := w.Header().Get(staleHeader); (got != "") != away {
				t.Errorf("%s: away %v, %s: %q", path, away, staleHeader, got)
			} else if away {
				if at, err := time.Parse(time.RFC3339, got); err != nil || time.Since(at) > time.Hour {
					t.Errorf("%s: %q, %v", path, got, err)
				}
			}
			member := path == "/handoffs/next" || strings.HasSuffix(path, "receipts")
			if got := strings.Contains(w.Body.String(), `"stale":true,"as_of":"20`); got != (away && member) {
				t.Errorf("%s: away %v: %s", path, away, w.Body)
			}
		}
	}
}

// TestOtherStore: what would be written to a store that the configuration no longer names is
// refused, although the server has that open.
func TestOtherStore(t *testing.T) {
	root, store := t.TempDir(), &enginetest.Memory{}
	configure := func(text string) {
		if err := os.WriteFile(filepath.Join(root, ".handoff.yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	open := func() (*workspace.Workspace, error) {
		return workspace.Open(root, workspace.Options{Trust: trust.All, OpenStore: func(context.Context, string, engine.Address) (engine.Engine, error) { return store, nil }})
	}
	configure("profile: handoff\n")
	ws, err := open()
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	tapes, err := tapes.In(ws, "", true)
	if err != nil {
		t.Fatal(err)
	}
	defer tapes.Close()
	threads, err := threads.In(t.Context(), ws, true)
	if err != nil {
		t.Fatal(err)
	}
	defer threads.Close()
	s := New(Config{Open: open, Threads: threads, Tapes: tapes, Reads: ws, Log: slog.New(slog.DiscardHandler)})
	for _, step := range []struct {
		config string
		code   int
	}{{"profile: handoff\n", 201}, {"store: nats://127.0.0.1:1/TEST\n", 503}, {"profile: completion\n", 201}} {
		configure(step.config)
		r := httptest.NewRequest("POST", "http://127.0.0.1/tapes/main/entries", strings.NewReader(`{"entries":[{"kind":"event","payload":{"name":"x"}}]}`))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		if w.Code != step.code {
			t.Errorf("%q: %d %s", step.config, w.Code, w.Body)
		}
	}
}
