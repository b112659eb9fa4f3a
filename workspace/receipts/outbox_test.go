package receipts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/engine"
	"handoff/engine/enginetest"
	"handoff/receipt"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/outbox"
	"handoff/workspace/trust"
)

// stored opens the receipts of a workspace with a store, nil for one that cannot be
// reached.
func stored(t *testing.T, root string, store engine.Engine) *Book {
	t.Helper()
	write(t, root, config.File, "store: nats://127.0.0.1:1/TEST\n")
	ws, err := workspace.Open(root, workspace.Options{Now: func() time.Time { return clock },
		Trust: trust.All, OpenStore: func(context.Context, string, engine.Address) (engine.Engine, error) {
			if store == nil {
				return nil, fmt.Errorf("no answer: %w", engine.ErrUnavailable)
			}
			return store, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ws.Close)
	b, err := Open(ws)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// step is the record of a step that must be queued.
func step(t *testing.T, do func() (Record, error)) Record {
	t.Helper()
	r, err := do()
	if err != nil || r.NotRecorded == nil {
		t.Fatalf("%+v, %v, want a queued step", r, err)
	}
	return r
}

// Steps wait while the store is away. When it answers they are recorded in order,
// unless another workspace has taken the handoff over.
func TestOutbox(t *testing.T) {
	store, roots := &enginetest.Memory{}, []string{t.TempDir(), t.TempDir()}
	for _, root := range roots {
		for _, task := range []int{1, 2} {
			name, text := handoffAt(task, "20260212T100000Z")
			write(t, root, name, text)
		}
	}
	ctx := t.Context()
	online := stored(t, roots[0], store)
	mine := map[string]string{}
	for _, ref := range []string{"1", "2"} {
		r, err := online.Claim(ctx, Target{Ref: ref}, request)
		if err != nil {
			t.Fatal(err)
		}
		mine[ref] = r.Claim
	}
	offline := stored(t, roots[0], nil)
	for _, ref := range []string{"1", "2"} {
		target := Target{Claim: mine[ref]}
		if _, err := offline.Acknowledge(ctx, target, "", "No such action."); err == nil {
			t.Error("what the document refuses must not be queued")
		}
		first := step(t, func() (Record, error) { return offline.Acknowledge(ctx, target, "", "Run `go test ./parse`.") })
		if first.Ends() || !errors.Is(first.NotRecorded.Why, engine.ErrUnavailable) {
			t.Errorf("%+v", first)
		}
		step(t, func() (Record, error) { return offline.Finish(ctx, target, "") })
		last := step(t, func() (Record, error) { return offline.Finish(ctx, target, "") })
		if !slices.Equal(last.Queued, []outbox.Step{outbox.Acknowledge, outbox.Done}) || last.State != receipt.Claimed || !last.Ends() {
			t.Errorf("%+v, want the state of the copy and two steps that wait", last)
		}
	}
	if _, err := offline.Renew(ctx, Target{Ref: "1", Claim: mine["1"]}, -time.Hour); err == nil {
		t.Error("an invalid request must not be queued")
	}
	if _, err := stored(t, roots[0], nil).Claim(ctx, Target{Ref: "1"}, receipt.ClaimRequest{By: "bob", TTL: time.Hour, Force: true, Why: "test"}); !outbox.Away(err) || !strings.Contains(err.Error(), "cannot be queued") {
		t.Errorf("%v: a claim cannot wait", err)
	}
	if all, err := offline.box.Requests(); len(all) != 4 || err != nil {
		t.Errorf("%d requests wait, want 4: %v", len(all), err)
	}

	other := stored(t, roots[1], store)
	if _, err := other.Claim(ctx, Target{Ref: "2"}, receipt.ClaimRequest{By: "bob", TTL: time.Hour, Force: true, Why: "test"}); err != nil {
		t.Fatal(err)
	}
	refused := 0
	back := stored(t, roots[0], store)
	sent, err := back.box.Drain(ctx, outbox.Sender{Now: time.Now, Send: func(r outbox.Request) error { return back.Send(ctx, r) }, Refused: func(r outbox.Refused) {
		if refused++; r.Request.Claim != mine["2"] || !strings.Contains(r.Why, "stale claim") {
			t.Errorf("refused: %+v", r)
		}
	}})
	if sent != 2 || refused != 2 || err != nil {
		t.Errorf("%d sent, %d refused, %v", sent, refused, err)
	}
	for ref, want := range map[string]receipt.State{"1": receipt.Done, "2": receipt.Claimed} {
		r, _, err := stored(t, roots[1], store).Life(ctx, Target{Ref: ref})
		if r.State != want || err != nil || ref == "2" && r.By != "bob" {
			t.Errorf("%s: %+v, %v, want %s", ref, r, err, want)
		}
	}
}
