package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/log/engine"
	"handoff/log/engine/enginetest"
	"handoff/workspace"
	"handoff/workspace/drain"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
	"handoff/workspace/trust"
)

// TestQueued: while the store cannot be reached, messages and entries are answered with 202
// and wait, reads report that, and requests that need the store's answer get 503.
func TestQueued(t *testing.T) {
	root, store := t.TempDir(), &enginetest.Memory{}
	if err := os.WriteFile(filepath.Join(root, ".handoff.yaml"), []byte("store: nats://127.0.0.1:1/TEST\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// ask sends requests to a new server, with the store or without it. Each is METHOD PATH
	// BODY, and its answer is checked.
	ask := func(away bool, f func(do func(request, body string) *httptest.ResponseRecorder)) {
		t.Helper()
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
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if !away {
			if _, err := drain.Run(t.Context(), ws, drain.Request{}); err != nil {
				t.Fatal(err)
			}
		}
		threads, err := threads.In(t.Context(), ws, true)
		if err != nil {
			t.Fatal(err)
		}
		defer threads.Close()
		tapes, err := tapes.In(ws, "", true)
		if err != nil {
			t.Fatal(err)
		}
		defer tapes.Close()
		s := New(Config{Open: open, Threads: threads, Tapes: tapes, Log: slog.New(slog.DiscardHandler)})
		f(func(request, body string) *httptest.ResponseRecorder {
			method, path, _ := strings.Cut(request, " ")
			r := httptest.NewRequest(method, "http://127.0.0.1"+path, strings.NewReader(body)).WithContext(ctx)
			if body != "" {
				r.Header.Set("Content-Type", "application/json")
			}
			w := httptest.NewRecorder()
			s.handler.ServeHTTP(w, r)
			return w
		})
	}
	id := ""
	ask(false, func(do func(request, body string) *httptest.ResponseRecorder) {
		_, rest, _ := strings.Cut(do("POST /threads/ensure", "").Body.String(), `"thread_id":"`)
		id, _, _ = strings.Cut(rest, `"`)
	})
	const entries = `{"entries":[{"kind":"event","payload":{"name":"x"}}]}`
	ask(true, func(do func(request, body string) *httptest.ResponseRecorder) {
		for request, body := range map[string]string{"POST /threads/" + id + "/messages": `{"content":"one"}`, "POST /tapes/main/entries": entries, "POST /tapes/main/handoff": `{"name":"a"}`} {
			if w := do(request, body); w.Code != http.StatusAccepted || !strings.Contains(w.Body.String(), `"queued":true`) {
				t.Errorf("%s: %d %s", request, w.Code, w.Body)
			}
		}
		for request, body := range map[string]string{"POST /threads/" + id + "/branch": `{}`, "POST /threads": `{}`, "POST /tapes/main/entries": `{"after":1,` + entries[1:]} {
			if w := do(request, body); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
				t.Errorf("%s: %d %s", request, w.Code, w.Body)
			}
		}
		for path, want := range map[string]string{"/threads/" + id: "1", "/tapes/main/entries": "2", "/threads": ""} {
			if w := do("GET "+path, ""); w.Header().Get(queuedHeader) != want {
				t.Errorf("%s: %s is %q, want %q", path, queuedHeader, w.Header().Get(queuedHeader), want)
			}
		}
	})
	ask(true, func(do func(request, body string) *httptest.ResponseRecorder) { // what was acknowledged is read, and marked
		for _, path := range []string{"/tapes/main/entries", "/tapes/main/entries?kind=event", "/tapes/main/entries?text=%22name%22"} {
			if w := do("GET "+path, ""); w.Code != 200 || !strings.Contains(w.Body.String(), `"queued": true`) || !strings.Contains(w.Body.String(), `"id": 0`) {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
		}
		if w := do("GET /tapes/main", ""); w.Code != 200 || !strings.Contains(w.Body.String(), `"last_anchor":"a"`) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
	ask(false, func(do func(request, body string) *httptest.ResponseRecorder) {
		w := do("GET /tapes/main/entries", "")
		if w.Header().Get(queuedHeader) != "" || strings.Count(w.Body.String(), `"append_request"`) != 2 {
			t.Errorf("%s", w.Body)
		}
	})
}
