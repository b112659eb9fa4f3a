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

	"handoff/log/engine"
	"handoff/log/engine/enginetest"
	"handoff/workspace"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
	"handoff/workspace/trust"
)

// leaving is a workspace with one handoff, whose store can be away.
type leaving struct {
	t     *testing.T
	root  string
	store *enginetest.Memory
	away  bool
}

func newLeaving(t *testing.T) *leaving {
	l := &leaving{t: t, root: t.TempDir(), store: &enginetest.Memory{}}
	dir := filepath.Join(l.root, "specs", "1_first", "handoffs")
	err := os.MkdirAll(dir, 0o755)
	for path, text := range map[string]string{filepath.Join(l.root, ".handoff.yaml"): "store: nats://127.0.0.1:1/TEST\n",
		filepath.Join(dir, "phase-1-handoff-20260212T143022Z.md"): "# Phase 1 Handoff\n\n## Immediate Next Action\nRun `go test ./parse`.\n"} {
		err = errors.Join(err, os.WriteFile(path, []byte(text), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// ask asks a new server. A body makes the request a POST.
func (l *leaving) ask(path, body string) *httptest.ResponseRecorder {
	t := l.t
	open := func() (*workspace.Workspace, error) {
		return workspace.Open(l.root, workspace.Options{Patience: time.Minute, Trust: trust.All, OpenStore: func(context.Context, string, engine.Address) (engine.Engine, error) {
			if l.away {
				return nil, fmt.Errorf("no answer: %w", engine.ErrUnavailable)
			}
			return l.store, nil
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
	r := httptest.NewRequest("GET", "http://127.0.0.1"+path, nil)
	if body != "" {
		r = httptest.NewRequest("POST", "http://127.0.0.1"+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
	}
	New(Config{Open: open, Threads: threads, Tapes: tapes, Reads: ws, Log: slog.New(slog.DiscardHandler)}).handler.ServeHTTP(w, r.WithContext(ctx))
	return w
}

// TestUnfenced: while the store does not answer, a claim cannot be checked, so no handoff is written
// with it, unless the request wants it marked. A claim that is known to be stale writes nothing in any
// case.
func TestUnfenced(t *testing.T) {
	l := newLeaving(t)
	claim := func() string {
		w := l.ask("/handoffs/1%2F1/claim", `{"as":"ann","force":true,"why":"test"}`)
		_, claim, _ := strings.Cut(w.Body.String(), `"claim":"`)
		claim, _, ok := strings.Cut(claim, `"`)
		if !ok {
			t.Fatal(w.Code, w.Body)
		}
		return claim
	}
	stale, held := claim(), claim()
	l.away = true
	post := func(claim, more string) *httptest.ResponseRecorder {
		return l.ask("/specs/1/handoffs", `{"phase":2,"draft":true,"next_action":"Run it.","claim":"`+claim+`"`+more+`}`)
	}
	if w := post(held, ""); w.Code != 503 || !strings.Contains(w.Body.String(), "nothing was written") {
		t.Errorf("not checked: %d %s", w.Code, w.Body)
	}
	if w := post(stale, `,"unfenced":true`); w.Code != 409 {
		t.Errorf("stale: %d %s", w.Code, w.Body)
	}
	written := func() (all []string) {
		all, err := filepath.Glob(filepath.Join(l.root, "specs/1_first/handoffs/phase-2-*"))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if all := written(); len(all) > 0 {
		t.Fatal(all)
	}
	if w := post(held, `,"unfenced":true`); w.Code != 201 || !strings.Contains(w.Body.String(), "was not checked") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if all := written(); len(all) != 1 {
		t.Error(all)
	} else if src, err := os.ReadFile(all[0]); err != nil || !strings.Contains(string(src), "\n> Unfenced: ") {
		t.Errorf("%s, %v", src, err)
	}
	l.away = false
	if w := post(held, `,"unfenced":true`); w.Code != 201 || strings.Contains(w.Body.String(), "was not checked") {
		t.Errorf("the store answers: %d %s", w.Code, w.Body)
	}
}

// TestStale: an answer that was read from the copy of a store that does not answer says so,
// and none that the store has confirmed.
func TestStale(t *testing.T) {
	l := newLeaving(t)
	for _, path := range []string{"/handoffs/next", "/handoffs/1%2F1/receipts", "/overview", "/tapes"} {
		for _, away := range []bool{false, true} {
			l.away = away
			w := l.ask(path, "")
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
