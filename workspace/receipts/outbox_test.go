package receipts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/log/engine"
	"handoff/log/engine/enginetest"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/outbox"
	"handoff/workspace/states"
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
		if !slices.Equal(last.Queued, []outbox.Step{outbox.Acknowledge, outbox.Done}) || last.State != receipt.Done || !last.Ends() {
			t.Errorf("%+v, want two steps that wait, and count", last)
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

// silent notes that the store of a workspace did not answer, as a short outage does.
func silent(t *testing.T, b *Book) {
	t.Helper()
	for range 6 { // long enough for the slowest machine
		err := b.box.Ask(func() error { time.Sleep(210 * time.Millisecond); return engine.ErrUnavailable })
		if !outbox.Away(err) {
			t.Fatal(err)
		}
	}
	if b.box.Silent() == nil {
		t.Fatal("no note")
	}
}

// TestFence: whether a claim is stale is the answer of the store, whatever is noted about
// it. Without an answer it is not known, which is no refusal.
func TestFence(t *testing.T) {
	store, roots := &enginetest.Memory{}, []string{t.TempDir(), t.TempDir()}
	for _, root := range roots {
		name, text := handoffAt(1, "20260212T100000Z")
		write(t, root, name, text)
	}
	ctx := t.Context()
	old, err := stored(t, roots[0], store).Claim(ctx, Target{Ref: "1"}, request)
	if err != nil {
		t.Fatal(err)
	}
	for name, fence := range map[string]func(*Book) error{
		"a document": func(b *Book) error { return b.Fence(ctx, old.Claim) },
		"a renewal":  func(b *Book) error { _, err := b.Renew(ctx, Target{Claim: old.Claim}, time.Hour); return err },
	} {
		silent(t, stored(t, roots[0], store))
		if err := fence(stored(t, roots[0], store)); err != nil {
			t.Errorf("%s: %v, want the answer that the claim is valid", name, err)
		}
		if err := stored(t, roots[0], store).box.Silent(); err != nil {
			t.Errorf("%s: the store has answered, and is noted: %v", name, err)
		}
	}
	if err := stored(t, roots[0], nil).Fence(ctx, old.Claim); !outbox.Away(err) || errors.Is(err, receipt.ErrRefused) || !errors.As(err, new(*receipt.UnsureError)) {
		t.Errorf("%v, want that nobody knows", err)
	}
	if _, err := stored(t, roots[1], store).Claim(ctx, Target{Ref: "1"}, receipt.ClaimRequest{By: "bob", TTL: time.Hour, Force: true, Why: "test"}); err != nil {
		t.Fatal(err)
	}
	silent(t, stored(t, roots[0], store))
	if b := stored(t, roots[0], store); !errors.As(b.Fence(ctx, old.Claim), new(*receipt.StaleError)) {
		t.Error("a stale claim may write")
	}
	silent(t, stored(t, roots[0], store))
	if r, err := stored(t, roots[0], store).Renew(ctx, Target{Claim: old.Claim}, time.Hour); !errors.As(err, new(*receipt.StaleError)) {
		t.Errorf("a stale claim is renewed: %+v, %v", r, err)
	}
}

// TestUnknownClaim: a claim that the copy lacks is unknown only if the store says so.
func TestUnknownClaim(t *testing.T) {
	store, roots := &enginetest.Memory{}, []string{t.TempDir(), t.TempDir()}
	for _, root := range roots {
		name, text := handoffAt(1, "20260212T100000Z")
		write(t, root, name, text)
	}
	ctx := t.Context()
	silent(t, stored(t, roots[1], store))
	behind := stored(t, roots[1], store)
	r, err := stored(t, roots[0], store).Claim(ctx, Target{Ref: "1"}, request)
	if err != nil {
		t.Fatal(err)
	}
	var unsure *receipt.UnsureError
	if _, err := stored(t, roots[1], nil).Finish(ctx, Target{Claim: r.Claim}, ""); !errors.As(err, &unsure) || !outbox.Away(err) {
		t.Errorf("with the store away: %v", err)
	}
	if _, err := behind.Finish(ctx, Target{Claim: r.Claim}, ""); err != nil {
		t.Errorf("a claim of another machine: %v", err)
	}
	if _, err := behind.Finish(ctx, Target{Claim: r.Claim[:16] + ".7.x"}, ""); !errors.As(err, new(*receipt.UnknownClaimError)) {
		t.Errorf("a claim that was never made: %v", err)
	}
}

// TestQueuedCounts: a step that was acknowledged counts for this machine, although it waits:
// a finished handoff is not given out again, and a claim that was released is not valid.
func TestQueuedCounts(t *testing.T) {
	store, root := &enginetest.Memory{}, t.TempDir()
	for _, task := range []int{1, 2} {
		name, text := handoffAt(task, "20260212T100000Z")
		write(t, root, name, text)
	}
	ctx := t.Context()
	online := stored(t, root, store)
	first, err := online.Claim(ctx, Target{Ref: "1"}, request)
	if err != nil {
		t.Fatal(err)
	}
	second, err := online.Claim(ctx, Target{Ref: "2"}, request)
	if err != nil {
		t.Fatal(err)
	}
	offline := stored(t, root, nil)
	step(t, func() (Record, error) { return offline.Finish(ctx, Target{Claim: first.Claim}, "") })
	if r := step(t, func() (Record, error) { return offline.Release(ctx, Target{Claim: second.Claim}, "tired") }); r.State != receipt.Released {
		t.Errorf("%+v", r)
	}
	if r, err := offline.Finish(ctx, Target{Claim: second.Claim}, ""); !errors.As(err, new(*receipt.StaleError)) {
		t.Errorf("%+v, %v: it will be refused when it is sent", r, err)
	}
	later := stored(t, root, nil) // after the lease
	later.ws.Options.Now = func() time.Time { return clock.Add(5 * time.Hour) }
	q, err := later.Next(ctx, nil)
	if err != nil || len(q.Held) > 0 || len(q.Waiting) != 1 || q.Waiting[0].Ref != "2/1" || q.Waiting[0].State != states.Waiting {
		t.Errorf("%+v, %v: want only the one that was given back", q, err)
	}
	if _, l, err := later.Life(ctx, Target{Ref: "1"}); err != nil || len(l.Steps) != 2 || len(l.Recorded()) != 1 {
		t.Errorf("%+v, %v: want one step that is recorded, and one that is not", l, err)
	}

	back := stored(t, root, store)
	back.ws.Options.Now = later.ws.Options.Now
	silent(t, back)
	if _, err := back.Claim(ctx, Target{Ref: "1"}, request); !errors.As(err, new(*receipt.FinishedError)) {
		t.Errorf("%v: a finished handoff is claimed again", err)
	}
	item, r, ok, err := back.ClaimNext(ctx, Caller{}, nil, request)
	if err != nil || !ok || item.Ref != "2/1" || r.Token != 2 {
		t.Errorf("%+v, %+v, %v, %v", item, r, ok, err)
	}
	if _, l, err := stored(t, root, store).Life(ctx, Target{Ref: "1"}); err != nil || len(l.Recorded()) != 2 || !l.Last().At.Equal(clock) {
		t.Errorf("%+v, %v: want the time at which it was asked for", l, err)
	}
}

// TestQueuedRenewal: a renewal that waited ends when its holder was told, not so long after
// the end of an outage.
func TestQueuedRenewal(t *testing.T) {
	store, root := &enginetest.Memory{}, t.TempDir()
	name, text := handoffAt(1, "20260212T100000Z")
	write(t, root, name, text)
	ctx := t.Context()
	claim, err := stored(t, root, store).Claim(ctx, Target{Ref: "1"}, request)
	if err != nil {
		t.Fatal(err)
	}
	r := step(t, func() (Record, error) {
		return stored(t, root, nil).Renew(ctx, Target{Claim: claim.Claim}, 3*time.Hour)
	})
	if !r.Until.Equal(clock.Add(3 * time.Hour)) {
		t.Errorf("%+v", r)
	}
	morning := stored(t, root, store)
	morning.ws.Options.Now = func() time.Time { return clock.Add(12 * time.Hour) }
	other, err := morning.Claim(ctx, Target{Ref: "1"}, receipt.ClaimRequest{By: "bob", TTL: time.Hour})
	if err != nil || other.Token != 2 {
		t.Errorf("%+v, %v: the lease of a holder that died is revived", other, err)
	}
}
