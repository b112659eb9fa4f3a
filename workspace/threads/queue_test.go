package threads_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/log/engine"
	"handoff/log/engine/enginetest"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/outbox"
	"handoff/workspace/threads"
	"handoff/workspace/trust"
)

// stored opens the threads of a workspace that has a store; nil for one that does not answer.
func stored(t *testing.T, root string, store engine.Engine) *threads.Threads {
	t.Helper()
	if err := os.WriteFile(filepath.Join(root, config.File), []byte("store: nats://127.0.0.1:1/TEST\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	patience := time.Minute
	if store == nil {
		patience = 20 * time.Millisecond
	}
	w, err := workspace.Open(root, workspace.Options{Patience: patience, Trust: trust.All, OpenStore: func(context.Context, string, engine.Address) (engine.Engine, error) {
		if store == nil {
			return nil, engine.ErrUnavailable
		}
		return store, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	all, err := threads.In(t.Context(), w, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { all.Close() })
	return all
}

// TestQueue: without an answer of the store messages wait, each with its id, and are on the thread before
// a branch is cut from it once it answers.
func TestQueue(t *testing.T) {
	store, root := &enginetest.Memory{}, t.TempDir()
	all := stored(t, root, store)
	info, _, err := all.Create(t.Context(), thread.CreateRequest{})
	if err != nil {
		t.Fatal(err)
	}
	id := info.ThreadID
	if p, err := all.Post(t.Context(), id, thread.MessageRequest{Content: "first"}); err != nil || p.Queued || p.Waits != nil || !all.Queues() {
		t.Errorf("%+v, %v", p, err)
	}
	all.Close()

	all = stored(t, root, nil)
	waits, err := all.Post(t.Context(), id, thread.MessageRequest{Content: "second"})
	if err != nil || !waits.Queued || waits.Waits == nil || waits.MessageID == "" || all.Waiting(id) != 1 || all.Waiting("other") != 0 {
		t.Errorf("%+v, %v, %d wait", waits, err, all.Waiting(id))
	}
	if c, err := all.Compile(t.Context(), id, threads.CompileRequest{Store: new(bool)}); err != nil || c.Explanation.Queued != 1 || len(c.Explanation.Kept) != 1 || !strings.Contains(c.Explanation.String(), "waiting for the store, so left out: 1\n") {
		t.Errorf("%+v, %v", c.Explanation, err)
	}
	if p, err := all.Post(t.Context(), "none", thread.MessageRequest{Content: "x"}); err == nil || all.Waiting("none") != 0 {
		t.Errorf("%+v, %v: no such thread", p, err)
	}
	if _, err := all.Branch(t.Context(), id, thread.BranchRequest{}); err == nil {
		t.Error("a branch was cut before what waits for the thread")
	}
	all.Close()

	all = stored(t, root, store)
	if b, err := all.Branch(t.Context(), id, thread.BranchRequest{}); err != nil || all.Waiting(id) != 0 || b.ParentSeq != 2 {
		t.Errorf("%+v, %v, %d wait", b, err, all.Waiting(id))
	}
	var got []string
	for e, err := range all.Events(id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := e.Payload.(*thread.Message); ok {
			got = append(got, m.Content)
			if m.Content == "second" && e.ID != waits.MessageID {
				t.Errorf("the message has the id %s, not %s", e.ID, waits.MessageID)
			}
		}
	}
	if strings.Join(got, " ") != "first second" {
		t.Errorf("%q", got)
	}
}

// TestSend: a message of the outbox is posted once, with its time.
func TestSend(t *testing.T) {
	o := open(t, t.TempDir())
	id := o.create(t, "t")
	at := time.Date(2026, 2, 11, 9, 0, 0, 0, time.UTC)
	for range 2 {
		if err := o.Send(t.Context(), outbox.Request{Key: "m1", Thread: id, Step: outbox.Post, Content: "x", At: at}); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for e, err := range o.EventsFrom(t.Context(), id, 1, false) {
		if n++; err != nil || e.ID != "m1" || e.TimestampMS != uint64(at.UnixMilli()) {
			t.Errorf("%+v, %v", e, err)
		}
	}
	if n != 1 {
		t.Errorf("%d messages, want 1", n)
	}
}

// TestFindWithoutStore: while the store does not answer, a thread of the local copy is found by all that names it, and what is
// not there is still an error about the store, which may have it.
func TestFindWithoutStore(t *testing.T) {
	store, root := &enginetest.Memory{}, t.TempDir()
	all := stored(t, root, store)
	info, _, err := all.Create(t.Context(), thread.CreateRequest{Title: new("Parse numbers")})
	if err != nil {
		t.Fatal(err)
	}
	all.Close()
	all = stored(t, root, nil)
	for _, ref := range []string{info.ThreadID, info.ThreadID[:8], "latest", "Parse"} {
		if id, err := all.Find(t.Context(), ref); id != info.ThreadID || err != nil {
			t.Errorf("%s: %q, %v", ref, id, err)
		}
	}
	if id, err := all.Find(t.Context(), "Lex"); id != "" || !outbox.Away(err) {
		t.Errorf("not here: %q, %v", id, err)
	}
}
