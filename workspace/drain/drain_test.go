package drain_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"handoff/log/engine"
	"handoff/log/engine/enginetest"
	"handoff/log/tape"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/drain"
	"handoff/workspace/outbox"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
	"handoff/workspace/trust"
)

// The states of a flaky store.
const (
	answers = iota
	away    // nothing reaches it
	mute    // appends reach it, but its answers are lost
	late    // what is sent arrives when it answers again
)

// flaky is a store that can be away, or lose its answers.
type flaky struct {
	engine.Engine
	state *atomic.Int32
}

var errAway = fmt.Errorf("no route to host: %w", engine.ErrUnavailable)

func (f flaky) Append(ctx context.Context, batches ...engine.Batch) error {
	switch f.state.Load() {
	case away, late:
		return errAway
	case mute:
		if err := f.Engine.Append(ctx, batches...); err != nil {
			return err
		}
		f.state.Store(away)
		return engine.ErrUnknown
	}
	return f.Engine.Append(ctx, batches...)
}

func (f flaky) Len(ctx context.Context, log string) (uint64, error) {
	if s := f.state.Load(); s == away || s == late {
		return 0, errAway
	}
	return f.Engine.Len(ctx, log)
}

func (f flaky) Read(ctx context.Context, log string, from uint64) iter.Seq2[engine.Record, error] {
	if s := f.state.Load(); s == away || s == late {
		return func(yield func(engine.Record, error) bool) { yield(engine.Record{}, errAway) }
	}
	return f.Engine.Read(ctx, log, from)
}

func (f flaky) List(ctx context.Context, prefix string) iter.Seq2[engine.Info, error] {
	if s := f.state.Load(); s == away || s == late {
		return func(yield func(engine.Info, error) bool) { yield(engine.Info{}, errAway) }
	}
	return f.Engine.List(ctx, prefix)
}

// open opens a workspace with a store. A store that answers may take its time, as on a
// busy machine; one that does not is given up at once.
func open(t *testing.T, root string, store flaky) *workspace.Workspace {
	t.Helper()
	patience := time.Minute
	if store.state.Load() != answers {
		patience = 50 * time.Millisecond
	}
	if err := os.WriteFile(filepath.Join(root, ".handoff.yaml"), []byte("store: nats://127.0.0.1:1/TEST\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(root, workspace.Options{Patience: patience,
		Trust: trust.All, OpenStore: func(context.Context, string, engine.Address) (engine.Engine, error) { return store, nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ws.Close)
	return ws
}

// post posts a message, and reports whether it was queued.
func post(t *testing.T, ws *workspace.Workspace, id, text string) bool {
	t.Helper()
	all, err := threads.In(t.Context(), ws, true)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	p, err := all.Post(t.Context(), id, thread.MessageRequest{Content: text})
	if err != nil || p.MessageID == "" || p.Queued != (p.Waits != nil) {
		t.Fatalf("%+v, %v", p, err)
	}
	return p.Queued
}

// note appends an entry to a tape, and reports whether it was queued.
func note(t *testing.T, ws *workspace.Workspace, text string) bool {
	t.Helper()
	all, err := tapes.In(ws, "", true)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	one, err := all.Tape("main")
	if err != nil {
		t.Fatal(err)
	}
	e, err := tape.NewEntry("message", map[string]string{"role": "user", "content": text}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := one.Append(t.Context(), tape.AppendRequest{Entries: []tape.Entry{e}})
	if err != nil || a.Queued == (len(a.Entries) == 1) {
		t.Fatalf("%+v, %v", a, err)
	}
	return a.Queued
}

// said are the messages of a thread, and noted those of the tape.
func said(t *testing.T, ws *workspace.Workspace, id string) (all []string) {
	t.Helper()
	threads, err := threads.In(t.Context(), ws, false)
	if err != nil {
		t.Fatal(err)
	}
	defer threads.Close()
	for e, err := range threads.Events(id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := e.Payload.(*thread.Message); ok {
			all = append(all, m.Content)
		}
	}
	return all
}

func noted(t *testing.T, ws *workspace.Workspace) (all []string) {
	t.Helper()
	tapes, err := tapes.In(ws, "", false)
	if err != nil {
		t.Fatal(err)
	}
	defer tapes.Close()
	main, err := tapes.Tape("main")
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range main.Query(t.Context(), tape.Query{Kinds: []string{"message"}}) {
		if err != nil {
			t.Fatal(err)
		}
		content, _ := strings.CutPrefix(string(e.Payload), `{"role": "user", "content": "`)
		if content == string(e.Payload) {
			content, _ = strings.CutPrefix(string(e.Payload), `{"content": "`)
		}
		content, _, _ = strings.Cut(content, `"`)
		all = append(all, content)
	}
	return all
}

func newThread(t *testing.T, ws *workspace.Workspace) string {
	t.Helper()
	all, err := threads.In(t.Context(), ws, true)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	info, _, err := all.Create(t.Context(), thread.CreateRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return info.ThreadID
}

func run(t *testing.T, ws *workspace.Workspace, r drain.Request) int {
	t.Helper()
	sent, err := drain.Run(t.Context(), ws, r)
	if err != nil {
		t.Fatal(err)
	}
	return sent
}

// TestOrder: queued requests are recorded once, in order, including one that the store
// had recorded when its answer was lost; later requests wait for it.
func TestOrder(t *testing.T) {
	root, state := t.TempDir(), &atomic.Int32{}
	store := flaky{&enginetest.Memory{}, state}
	id := newThread(t, open(t, root, store))
	if post(t, open(t, root, store), id, "1") || note(t, open(t, root, store), "1") {
		t.Error("queued while the store answers")
	}
	for _, what := range []func(text string) bool{
		func(text string) bool { return post(t, open(t, root, store), id, text) },
		func(text string) bool { return note(t, open(t, root, store), text) },
	} {
		state.Store(mute)
		if !what("2") {
			t.Error("the answer was lost: not queued")
		}
		if !what("3") {
			t.Error("the store is away: not queued")
		}
		state.Store(answers)
		if !what("4") {
			t.Error("earlier requests wait: not queued")
		}
	}
	state.Store(away)
	if _, err := drain.Run(t.Context(), open(t, root, store), drain.Request{}); !outbox.Away(err) {
		t.Errorf("%v, want a store that is away", err)
	}
	if got := said(t, open(t, root, store), id); slices.Contains(got, "3") {
		t.Errorf("the copy has %v, want only what the store has", got)
	}
	state.Store(answers)
	if sent := run(t, open(t, root, store), drain.Request{}); sent != 6 {
		t.Errorf("%d sent, want 6", sent)
	}
	want := []string{"1", "2", "3", "4"}
	if got := said(t, open(t, root, store), id); !slices.Equal(got, want) {
		t.Errorf("the thread has %v, want %v", got, want)
	}
	if got := noted(t, open(t, root, store)); !slices.Equal(got, want) {
		t.Errorf("the tape has %v, want %v", got, want)
	}
	if sent := run(t, open(t, root, store), drain.Request{}); sent != 0 {
		t.Errorf("%d sent again", sent)
	}
}

// TestRefused: what no store will ever take is refused at once, or reported when it is
// sent; what needs an answer is not queued.
func TestRefused(t *testing.T) {
	root, state := t.TempDir(), &atomic.Int32{}
	store := flaky{&enginetest.Memory{}, state}
	id := newThread(t, open(t, root, store))
	state.Store(away)
	ws := open(t, root, store)
	threads, err := threads.In(t.Context(), ws, true)
	if err != nil {
		t.Fatal(err)
	}
	defer threads.Close()
	for _, unknown := range []string{"11111111-1111-4111-8111-111111111111", "../x"} {
		if p, err := threads.Post(t.Context(), unknown, thread.MessageRequest{Content: "x"}); err == nil {
			t.Errorf("%s: %+v: a message to a thread that is not here was queued", unknown, p)
		}
	}
	if _, err := threads.Branch(t.Context(), id, thread.BranchRequest{}); !outbox.Away(err) {
		t.Errorf("a branch: %v", err)
	}
	all, err := tapes.In(ws, "", true)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	main, err := all.Tape("main")
	if err != nil {
		t.Fatal(err)
	}
	e, err := tape.NewEntry("event", map[string]string{"name": "x"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := main.Append(t.Context(), tape.AppendRequest{Entries: []tape.Entry{e}, After: new(int64)}); !outbox.Away(err) {
		t.Errorf("with a condition: %+v, %v", a, err)
	}
	if _, err := main.HandOff(t.Context(), tapes.HandoffRequest{Name: "a", State: json.RawMessage(`[`)}); err == nil || outbox.Away(err) {
		t.Errorf("invalid: %v", err)
	}
	if a, err := main.HandOff(t.Context(), tapes.HandoffRequest{Name: "a", Key: "k"}); err != nil || !a.Queued || a.Key != "k" {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err := main.HandOff(t.Context(), tapes.HandoffRequest{Name: "a", Key: "k"}); err != nil || a.Waits.Waiting != 1 {
		t.Errorf("repeated: %+v, %v", a, err)
	}
	if a, err := main.Append(t.Context(), tape.AppendRequest{Entries: []tape.Entry{e}, Key: "k"}); !errors.Is(err, outbox.ErrKeyUsed) {
		t.Errorf("another request with the key: %+v, %v", a, err)
	}
	state.Store(answers)
	if sent := run(t, open(t, root, store), drain.Request{Refused: func(r outbox.Refused) { t.Errorf("refused: %+v", r) }}); sent != 1 {
		t.Errorf("%d sent", sent)
	}
}

// TestPatienceOfCreation: the store answers until a workspace is open, and then nothing
// more. A request that would create a log there waits no longer than any other.
func TestPatienceOfCreation(t *testing.T) {
	const patience = 50 * time.Millisecond
	message := thread.MessageRequest{Content: "x"}
	for what, ask := range map[string]func(context.Context, *tapes.Tapes, *threads.Threads) error{
		"an entry of a new tape": func(ctx context.Context, all *tapes.Tapes, _ *threads.Threads) error {
			a, err := must(all.Tape("new")).Append(ctx, tape.AppendRequest{Entries: []tape.Entry{entry(t, "x")}})
			if err == nil && !a.Queued {
				err = errors.New("not queued")
			}
			return err
		},
		"a new tape": func(ctx context.Context, all *tapes.Tapes, _ *threads.Threads) error {
			_, err := must(all.Tape("other")).Create(ctx, tapes.CreateRequest{})
			return err
		},
		"a new thread": func(ctx context.Context, _ *tapes.Tapes, all *threads.Threads) error {
			_, _, err := all.Create(ctx, thread.CreateRequest{})
			return err
		},
		"a thread of another machine": func(ctx context.Context, _ *tapes.Tapes, all *threads.Threads) error {
			_, err := all.Post(ctx, thread.NewUUID(), message)
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			store := flaky{&enginetest.Memory{}, &atomic.Int32{}}
			root := t.TempDir()
			put(t, root, ".handoff.yaml", "store: nats://127.0.0.1:1/TEST\n")
			ws := must(workspace.Open(root, workspace.Options{Patience: patience,
				Trust: trust.All, OpenStore: func(context.Context, string, engine.Address) (engine.Engine, error) { return store, nil }}))
			t.Cleanup(ws.Close)
			entries, messages := must(tapes.In(ws, "", true)), must(threads.In(t.Context(), ws, true))
			defer entries.Close()
			defer messages.Close()
			must(messages.Post(t.Context(), must(messages.Ensure(t.Context())).ThreadID, message))
			store.state.Store(away)
			begin := time.Now()
			if err := ask(engine.Hurry(t.Context(), patience), entries, messages); err != nil && !outbox.Away(err) {
				t.Error(err)
			}
			if took := time.Since(begin); took > engine.Budget/2 {
				t.Errorf("it waited for %v", took)
			}
		})
	}
}
