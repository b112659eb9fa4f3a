package workspace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"handoff/internal/testing/waittest"
	"handoff/log/artifact"
	"handoff/log/engine"
	"handoff/log/engine/enginetest"
	"handoff/log/engine/replica"
	"handoff/log/receipt"
	"handoff/log/tape"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/stores"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
	"handoff/workspace/trust"
)

// stored opens a workspace whose configuration names a store.
func stored(t *testing.T, root string, store engine.Engine) (w *workspace.Workspace, said *[]string) {
	t.Helper()
	said = new([]string)
	must(t, os.WriteFile(filepath.Join(root, config.File), []byte("store: nats://127.0.0.1:1/TEST\n"), 0o644))
	w, err := workspace.Open(root, workspace.Options{
		Say:   func(line string) { *said = append(*said, line) },
		Trust: trust.All, OpenStore: func(context.Context, string, engine.Address) (engine.Engine, error) {
			if store == nil {
				return nil, fmt.Errorf("%w: no answer", engine.ErrUnavailable)
			}
			return store, nil
		},
	})
	must(t, err)
	t.Cleanup(w.Close)
	return w, said
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func claim(by string) receipt.Decision {
	m := receipt.Moment{Now: time.Unix(1_790_000_000, 0)}
	return m.Claim(receipt.ClaimRequest{By: by, TTL: time.Hour, ID: func() string { return strings.Repeat(by[:1], 16) }})
}

// What one workspace writes, another workspace of the store reads.
func TestTwoWorkspacesOfOneStore(t *testing.T) {
	store, ctx := &enginetest.Memory{}, t.Context()
	rootA, rootB := t.TempDir(), t.TempDir()
	a, _ := stored(t, rootA, store)
	ta, err := threads.In(ctx, a, true)
	must(t, err)
	info, _, err := ta.Create(ctx, thread.CreateRequest{})
	must(t, err)
	_, err = ta.Post(ctx, info.ThreadID, thread.MessageRequest{Content: "from a"})
	must(t, err)
	child, err := ta.Handoff(ctx, info.ThreadID, thread.HandoffRequest{SummaryMarkdown: new("what b needs")})
	must(t, err)
	must(t, ta.Close())

	b, said := stored(t, rootB, store)
	tb, err := threads.In(ctx, b, false)
	must(t, err)
	ids, err := tb.Streams(thread.Continuity)
	if err != nil || len(ids) != 2 {
		t.Fatal(ids, err)
	}
	if head, err := tb.Head(info.ThreadID); err != nil || head != 1 {
		t.Fatal(head, err)
	}
	id, err := artifact.ParseID(child.SummaryArtifactID)
	must(t, err)
	if data, err := tb.Blobs.Get(id); err != nil || !bytes.Contains(data, []byte("what b needs")) {
		t.Fatalf("%s %v", data, err)
	}
	_, err = tb.Post(ctx, info.ThreadID, thread.MessageRequest{Content: "from b"})
	must(t, err)
	must(t, tb.Close())

	ra, err := a.Receipts()
	must(t, err)
	rb, err := b.Receipts()
	must(t, err)
	_, err = ra.Record(ctx, "specs/x.md", claim("a"))
	must(t, err)
	if _, err := rb.Record(ctx, "specs/x.md", claim("b")); !errors.As(err, new(*receipt.HeldError)) {
		t.Fatal("claimed twice:", err)
	}
	if l, err := rb.Life("specs/x.md"); err != nil || l.Claim.By != "a" {
		t.Fatal(l, err)
	}

	ts, err := tapes.In(a, "", true)
	must(t, err)
	main, err := ts.Store.Tape(tape.Main)
	must(t, err)
	_, err = main.Handoff(ctx, "phase-1", nil, nil)
	must(t, err)
	if _, err := main.Reset(ctx, tape.ResetRequest{NoArchive: true}); !errors.Is(err, tape.ErrCopy) {
		t.Fatal(err)
	}
	_, err = main.Reset(ctx, tape.ResetRequest{})
	must(t, err)
	must(t, ts.Close())
	// A workspace that is opened again reads the content of the store.
	c, _ := stored(t, t.TempDir(), store)
	again, err := tapes.In(c, "", false)
	must(t, err)
	list, err := again.List()
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	must(t, again.Close())
	tc, err := threads.In(ctx, c, false)
	must(t, err)
	if head, err := tc.Head(info.ThreadID); err != nil || head != 2 {
		t.Fatal(head, err)
	}
	must(t, tc.Close())
	if len(*said) > 0 {
		t.Fatal(*said)
	}
}

// Without the store the local copy is read, and nothing is written.
func TestStoreThatIsAway(t *testing.T) {
	root, ctx := t.TempDir(), t.Context()
	w, _ := stored(t, root, &enginetest.Memory{})
	all, err := threads.In(ctx, w, true)
	must(t, err)
	info, _, err := all.Create(ctx, thread.CreateRequest{})
	must(t, err)
	must(t, all.Close())
	before := snapshot(t, root)
	away, said := stored(t, root, nil)
	all, err = threads.In(ctx, away, true)
	must(t, err)
	if _, err := all.Get(ctx, info.ThreadID); err != nil {
		t.Fatal(err)
	}
	if _, err := all.PostMessage(ctx, info.ThreadID, thread.MessageRequest{Content: "x"}); !errors.Is(err, engine.ErrUnavailable) {
		t.Fatal(err)
	}
	if _, _, err := all.Create(ctx, thread.CreateRequest{}); !errors.Is(err, engine.ErrUnavailable) {
		t.Fatal(err)
	}
	if _, _, err := all.Blobs.Put([]byte("x")); !errors.Is(err, engine.ErrUnavailable) {
		t.Fatal(err)
	}
	must(t, all.Close())
	receipts, err := away.Receipts()
	must(t, err)
	if _, err := receipts.Record(ctx, "specs/x.md", claim("a")); !errors.Is(err, engine.ErrUnavailable) {
		t.Fatal(err)
	}
	if after := snapshot(t, root); after != before {
		t.Fatalf("before:\n%s\nafter:\n%s", before, after)
	}
	if len(*said) == 0 || !strings.Contains((*said)[0], "nats://127.0.0.1:1/TEST") {
		t.Fatal(*said)
	}
}

// snapshot is the content of all files with records or bytes of artifacts.
func snapshot(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() || !strings.HasSuffix(path, ".jsonl") && !strings.Contains(path, artifact.Blobs) {
			return err
		}
		src, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s: %s\n", path, src)
		return err
	}))
	return b.String()
}

// The files of a workspace are not taken for a copy of a store that never had them, and
// a copy is not written to when the configuration no longer names the store.
func TestOneAuthority(t *testing.T) {
	root, ctx := t.TempDir(), t.Context()
	plain, err := workspace.Open(root, workspace.Options{})
	must(t, err)
	all, err := threads.In(ctx, plain, true)
	must(t, err)
	_, _, err = all.Create(ctx, thread.CreateRequest{})
	must(t, err)
	must(t, all.Close())
	w, _ := stored(t, root, &enginetest.Memory{})
	if _, err := threads.In(ctx, w, false); !errors.As(err, new(*replica.NotCopyError)) {
		t.Fatal(err)
	}

	root = t.TempDir()
	w, _ = stored(t, root, &enginetest.Memory{})
	all, err = threads.In(ctx, w, true)
	must(t, err)
	info, _, err := all.Create(ctx, thread.CreateRequest{})
	must(t, err)
	must(t, all.Close())
	must(t, os.Remove(filepath.Join(root, config.File)))
	plain, err = workspace.Open(root, workspace.Options{})
	must(t, err)
	all, err = threads.In(ctx, plain, true)
	must(t, err)
	defer all.Close()
	if _, err := all.Get(ctx, info.ThreadID); err != nil {
		t.Fatal(err)
	}
	_, err = all.Post(ctx, info.ThreadID, thread.MessageRequest{Content: "x"})
	if !errors.Is(err, stores.ErrCopy) || !strings.Contains(err.Error(), "nats://127.0.0.1:1/TEST") || !strings.Contains(err.Error(), ".handoff/replica.json") {
		t.Fatal(err)
	}
}

// A changed configuration moves the receipts to its store at once, also in a program that
// has opened them before, and nothing more comes from the store before it.
func TestStoreChanges(t *testing.T) {
	root := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(root, "specs"), 0o755))
	one, other := &enginetest.Memory{}, &enginetest.Memory{}
	w, err := workspace.Open(root, workspace.Options{Trust: trust.All, OpenStore: func(_ context.Context, _ string, a engine.Address) (engine.Engine, error) {
		return map[string]*enginetest.Memory{"ONE": one, "OTHER": other}[a.Stream], nil
	}})
	must(t, err)
	t.Cleanup(w.Close)
	configure := func(text string) {
		t.Helper()
		must(t, os.WriteFile(filepath.Join(root, config.File), []byte(text), 0o644))
		must(t, w.Reload())
	}
	record := func(path string) error {
		t.Helper()
		receipts, err := w.Receipts()
		must(t, err)
		_, err = receipts.Record(t.Context(), path, claim("ada"))
		return err
	}
	logs := func(e engine.Engine) (n int) {
		for info, err := range e.List(t.Context(), "receipts/") {
			must(t, err)
			if info.Log != engine.IdentityLog {
				n++
			}
		}
		return n
	}
	receipts, err := w.Receipts()
	must(t, err)
	if again, err := w.Receipts(); again != receipts || err != nil {
		t.Errorf("opened twice: %v", err)
	}
	configure("store: nats://127.0.0.1:1/ONE\n")
	must(t, record("specs/1.md"))
	must(t, record("specs/2.md"))
	if logs(one) != 2 {
		t.Errorf("the store has %d receipts", logs(one))
	}
	// Another store that does not have them: they are not taken for a copy of it.
	configure("store: nats://127.0.0.1:1/OTHER\n")
	if _, err := w.Receipts(); !errors.As(err, new(*replica.NotCopyError)) {
		t.Errorf("in another store: %v", err)
	}
	configure("store: files\n")
	if err := record("specs/3.md"); !errors.Is(err, stores.ErrCopy) {
		t.Errorf("without a store: %v", err)
	}
	configure("store: nats://127.0.0.1:1/ONE\n")
	must(t, record("specs/3.md"))
	if logs(one) != 3 || logs(other) != 0 {
		t.Errorf("%d and %d receipts in the stores", logs(one), logs(other))
	}
}

// TestOtherStore: when the configuration, read again, names another store, receipts and
// threads follow, without a new workspace.
func TestOtherStore(t *testing.T) {
	root, ctx := t.TempDir(), t.Context()
	stores := map[string]*enginetest.Memory{"A": {}, "B": {}}
	name := func(stream string) {
		must(t, os.WriteFile(filepath.Join(root, config.File), []byte("store: nats://127.0.0.1:1/"+stream+"\n"), 0o644))
	}
	name("A")
	w, err := workspace.Open(root, workspace.Options{Trust: trust.All, OpenStore: func(_ context.Context, _ string, a engine.Address) (engine.Engine, error) {
		return stores[a.Stream], nil
	}})
	must(t, err)
	t.Cleanup(w.Close)
	record := func(path string) {
		t.Helper()
		receipts, err := w.Receipts()
		must(t, err)
		_, err = receipts.Record(ctx, path, claim("a"))
		must(t, err)
	}
	record("specs/a.md")
	if w.Changed() {
		t.Error("nothing has changed")
	}
	for info, err := range stores["A"].List(ctx, "") { // as `store copy` does
		must(t, err)
		for r, err := range stores["A"].Read(ctx, info.Log, 0) {
			must(t, err)
			must(t, stores["B"].Append(ctx, engine.Batch{Log: info.Log, Expected: r.Number, Records: [][]byte{r.Data}}))
		}
	}
	name("B2")
	if !w.Changed() {
		t.Error("the change is not seen")
	}
	name("B")
	must(t, w.Reload())
	record("specs/b.md")
	for stream, want := range map[string]int{"A": 1, "B": 2} {
		logs := 0
		for info, err := range stores[stream].List(ctx, "receipts/") {
			must(t, err)
			if info.Log != engine.IdentityLog {
				logs++
			}
		}
		if logs != want {
			t.Errorf("store %s has %d receipts, want %d", stream, logs, want)
		}
	}
}

// blocking is a store that lists nothing until the context ends, while it blocks.
type blocking struct {
	engine.Engine
	blocks, ended atomic.Bool
	began         chan struct{}
	once          sync.Once
}

func (b *blocking) List(ctx context.Context, prefix string) iter.Seq2[engine.Info, error] {
	if b.blocks.Load() {
		b.once.Do(func() { close(b.began) })
		<-ctx.Done()
		defer b.ended.Store(true)
	}
	return b.Engine.List(ctx, prefix)
}

// TestClose: when Close returns, nothing syncs in the background.
func TestClose(t *testing.T) {
	store := &blocking{Engine: &enginetest.Memory{}, began: make(chan struct{})}
	w, _ := stored(t, t.TempDir(), store)
	must(t, w.Refresh(t.Context()))
	store.blocks.Store(true)
	waittest.For(t, "a sync in the background", store.began)
	w.Close()
	if !store.ended.Load() {
		t.Error("a sync still runs")
	}
}
