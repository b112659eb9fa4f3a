package tapes_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/log/engine"
	"handoff/log/engine/enginetest"
	"handoff/log/tape"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/outbox"
	"handoff/workspace/tapes"
	"handoff/workspace/trust"
)

// stored opens the tapes of a workspace that has a store; nil for one that does not answer. The lines
// that it says are appended to said.
func stored(t *testing.T, root string, store engine.Engine, said *[]string) *tapes.Tapes {
	t.Helper()
	if err := os.WriteFile(filepath.Join(root, config.File), []byte("store: nats://127.0.0.1:1/TEST\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	patience := time.Minute
	if store == nil {
		patience = 20 * time.Millisecond
	}
	w, err := workspace.Open(root, workspace.Options{Patience: patience, Trust: trust.All,
		Say: func(line string) { *said = append(*said, line) },
		OpenStore: func(context.Context, string, engine.Address) (engine.Engine, error) {
			if store == nil {
				return nil, engine.ErrUnavailable
			}
			return store, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	all, err := tapes.In(w, "", true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { all.Close() })
	return all
}

// TestQueue: without an answer of the store entries wait, and are on the tape before the next ones once it
// answers. What needs its answer is not queued.
func TestQueue(t *testing.T) {
	store, root, said := &enginetest.Memory{}, t.TempDir(), []string(nil)
	all := stored(t, root, store, &said)
	tp := one(t, all, "")
	if a, err := tp.Append(t.Context(), tape.AppendRequest{Entries: []tape.Entry{message(t, "first")}}); err != nil || a.Queued || a.Later() || a.Waits != nil || len(a.Entries) != 1 || a.Key != "" {
		t.Errorf("%+v, %v", a, err)
	}
	all.Close()

	all = stored(t, root, nil, &said)
	tp = one(t, all, "")
	a, err := tp.Append(t.Context(), tape.AppendRequest{Entries: []tape.Entry{message(t, "second")}, Key: "mine"})
	if err != nil || !a.Queued || !a.Later() || a.Waits == nil || a.Key != "mine" || a.Entries == nil || len(a.Entries) != 0 || a.Tape != "main" {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err = tp.Append(t.Context(), tape.AppendRequest{Entries: []tape.Entry{message(t, "third")}}); err != nil || !a.Queued || a.Key == "" {
		t.Errorf("%+v, %v: a key is made", a, err)
	}
	if _, err := one(t, all, "fresh").Append(t.Context(), tape.AppendRequest{Entries: []tape.Entry{message(t, "waits")}}); err != nil {
		t.Error(err)
	}
	if list, err := all.List(); err != nil || len(list) != 2 || list[0].Name != "fresh" || list[0].Entries != 1 || list[1].Name != "main" {
		t.Errorf("%+v, %v: a tape that only waits is listed, too", list, err)
	}
	if all.Waiting("main") != 2 || all.Waiting("other") != 0 {
		t.Errorf("%d wait for main, %d for other", all.Waiting("main"), all.Waiting("other"))
	}
	for name, do := range map[string]func() error{
		"after an id": func() error {
			_, err := tp.Append(t.Context(), tape.AppendRequest{Entries: []tape.Entry{message(t, "x")}, After: new(int64(3))})
			return err
		},
		"an envelope": func() error {
			_, err := tp.Send(t.Context(), tapes.SendRequest{From: "agent:a", To: "agent:b", Summary: "s"})
			return err
		},
		"no entry": func() error {
			_, err := tp.Append(t.Context(), tape.AppendRequest{Entries: []tape.Entry{{Kind: "message", Payload: []byte("{")}}})
			return err
		},
	} {
		if err := do(); err == nil || all.Waiting("main") != 2 {
			t.Errorf("%s: %v, %d wait", name, err, all.Waiting("main"))
		}
	}
	all.Close()

	all = stored(t, root, store, &said)
	tp = one(t, all, "")
	reset, err := tp.Reset(t.Context(), tapes.ResetRequest{Key: "r"})
	if err != nil || all.Waiting("main") != 0 {
		t.Errorf("%v, %d wait", err, all.Waiting("main"))
	}
	src, err := os.ReadFile(filepath.Join(root, ".handoff", filepath.FromSlash(reset.Archived)))
	if err != nil {
		t.Fatal(err)
	}
	at := []int{strings.Index(string(src), "first"), strings.Index(string(src), "second"), strings.Index(string(src), "third")}
	if !slices.IsSorted(at) || at[0] < 0 {
		t.Errorf("the archive has not what waited for the tape, in its order:\n%s", src)
	}
}

// TestReadsWhatWaits: a program reads what it has written, also without the store: after
// the entries of the tape, without an id, and marked. Once it is sent, it is there once.
func TestReadsWhatWaits(t *testing.T) {
	store, root, said := &enginetest.Memory{}, t.TempDir(), []string(nil)
	all := stored(t, root, store, &said)
	add(t, one(t, all, ""), "first")
	all.Close()

	all = stored(t, root, nil, &said)
	for _, name := range []string{"main", "new"} {
		add(t, one(t, all, name), "second")
		handOff(t, one(t, all, name), "p", "what was done")
		add(t, one(t, all, name), "third")
	}
	all.Close()
	for _, away := range []bool{true, false} {
		from, queued := engine.Engine(store), 0
		if away {
			from, queued = nil, 4
		}
		all := stored(t, root, from, &said)
		for _, name := range []string{"main", "new"} {
			tp := one(t, all, name)
			if !away {
				if _, err := tp.Create(t.Context(), tapes.CreateRequest{}); err != nil { // sends what waits
					t.Fatal(err)
				}
				if _, err := tp.Append(t.Context(), tape.AppendRequest{Entries: []tape.Entry{message(t, "last")}}); err != nil {
					t.Fatal(err)
				}
			}
			texts, marked, ids := []string{}, 0, map[int64]int{}
			for e, err := range tp.Query(t.Context(), tape.Query{Kinds: []string{tape.KindMessage}}) {
				if err != nil {
					t.Fatal(err)
				}
				_, text, _ := tapes.Said(e)
				texts = append(texts, text)
				if strings.Contains(string(e.Meta), `"queued": true`) {
					marked++
					ids[e.ID]++
				}
			}
			want := []string{"first", "second", "third", "last"}
			if name == "new" {
				want = want[1:]
			}
			if away {
				want = want[:len(want)-1]
			}
			if !slices.Equal(texts, want) || marked != queued/2 || ids[0] != marked {
				t.Errorf("away %v, %s: %q, %d marked, ids %v", away, name, texts, marked, ids)
			}
			info, err := tp.Info(t.Context())
			if err != nil || info.LastAnchor == nil || *info.LastAnchor != "p" {
				t.Errorf("away %v, %s: %+v, %v", away, name, info, err)
			}
			r, err := tp.Recover(t.Context())
			if err != nil || !strings.Contains(string(r.State), "what was done") || len(r.Entries) != info.SinceLastAnchor {
				t.Errorf("away %v, %s: %+v, %v", away, name, r, err)
			}
			c, err := tp.Context(t.Context(), tapes.ContextRequest{For: "openai"})
			if err != nil || !strings.Contains(string(c.Request), "third") || !strings.Contains(string(c.Request), "what was done") || strings.Contains(string(c.Request), "second") {
				t.Errorf("away %v, %s: %s, %v", away, name, c.Request, err)
			}
			if hits, err := tp.Search(t.Context(), tapes.SearchRequest{Text: "third"}); err != nil || len(hits) != 1 {
				t.Errorf("away %v, %s: %v, %v", away, name, hits, err)
			}
			if hits, err := tp.Search(t.Context(), tapes.SearchRequest{Text: "queued"}); err != nil || len(hits) != 0 {
				t.Errorf("away %v, %s: the mark is found: %v, %v", away, name, hits, err)
			}
		}
		all.Close()
	}
}

// TestSend: a request of the outbox is appended once, and one that is none is refused for good.
func TestSend(t *testing.T) {
	all, _ := open(t)
	at := time.Date(2026, 2, 11, 9, 0, 0, 0, time.UTC)
	r := outbox.Request{Key: "k", Tape: "main", Step: outbox.Append, At: at, Entries: []byte(`[{"id":0,"kind":"message","payload":{"content":"x"},"meta":{},"date":null}]`), Bare: true}
	for range 2 {
		if err := all.Send(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for e, err := range one(t, all, "").Query(t.Context(), tape.Query{}) {
		if n++; err != nil || e.Kind != tape.KindMessage || !strings.HasPrefix(e.Date, "2026-02-11T09:00:00") {
			t.Errorf("%+v, %v: it has the time of the request", e, err)
		}
	}
	if n != 1 {
		t.Errorf("%d entries, want 1", n)
	}
	r.Entries, r.Key = []byte(`{`), "bad"
	if err := all.Send(t.Context(), r); err == nil || !strings.Contains(err.Error(), "entries of the request bad") {
		t.Errorf("%v", err)
	}
	if all.Waiting("main") != 0 {
		t.Error("nothing waits without a store")
	}
}
