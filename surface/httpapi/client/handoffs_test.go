package client_test

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/internal/testing/waittest"
	"handoff/log/receipt"
	"handoff/surface/httpapi/client"
	"handoff/surface/problem"
	"handoff/workspace/feed"
	"handoff/workspace/handoffops"
	"handoff/workspace/ops"
	"handoff/workspace/receipts"
)

// TestHandoffs: a handoff is written, claimed and finished by the client, which follows
// what happens meanwhile.
func TestHandoffs(t *testing.T) {
	ctx := waittest.Context(t)
	server := serve(t, "0123456789abcdef")
	h := server.Handoffs()
	values := client.NewHandoff{Phase: 2, Slug: "parser", Draft: true, NextAction: "Run `go test ./parse`.", Decisions: []string{}, Key: "k"}
	made, err := h.New(ctx, 7, values)
	if err != nil || made.Ref != "7/2" || made.Existed {
		t.Fatalf("%+v, %v", made, err)
	}
	if again, err := h.New(ctx, 7, values); err != nil || again.Path != made.Path || !again.Existed {
		t.Errorf("%+v, %v", again, err)
	}
	var rows []struct{ Path string }
	if err := server.Call(ctx, "GET", []string{"handoffs"}, url.Values{"task": {"7"}}, nil, &rows); err != nil || len(rows) != 1 || rows[0].Path != made.Path {
		t.Errorf("%v, %v", rows, err)
	}
	var document string
	if err := server.Call(ctx, "GET", []string{"handoffs", made.Path, "document"}, nil, nil, &document); err != nil || !strings.Contains(document, values.NextAction) {
		t.Errorf("%q, %v", document, err)
	}
	if err := server.Call(ctx, "GET", []string{"handoffs", "8"}, nil, nil, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	next, err := handoffops.Next.On(ctx, h, "", handoffops.NextRequest{Task: new(7), Limit: 1})
	if err != nil || next.Next == nil || next.Next.Path != made.Path {
		t.Fatalf("%+v, %v", next, err)
	}
	claimed, err := handoffops.NextClaim.On(ctx, h, "", receipts.NextRequest{As: "codex"})
	r := claimed.Claimed
	if err != nil || r.Path != made.Path || r.State != receipt.Claimed {
		t.Fatalf("%+v, %v", r, err)
	}
	var refused *client.StatusError
	if _, err := handoffops.Claim.On(ctx, h, "7/2", receipts.ClaimRequest{As: "other"}); !errors.Is(err, fs.ErrExist) || !errors.As(err, &refused) ||
		refused.Problem.Type != problem.Held.Type || refused.Problem.Holder != "codex" || refused.Problem.Until == nil {
		t.Errorf("claimed twice: %v: %+v", err, refused)
	}
	values.Decisions = []string{"other: values"}
	if _, err := h.New(ctx, 7, values); !errors.Is(err, handoff.ErrKeyUsed) {
		t.Errorf("the key of another handoff: %v", err)
	}
	steps := []func() (receipts.Record, error){
		func() (receipts.Record, error) {
			return handoffops.Ack.On(ctx, h, "7", receipts.AckRequest{Claim: r.Claim})
		},
		func() (receipts.Record, error) {
			return handoffops.Renew.On(ctx, h, made.Path, receipts.RenewRequest{Claim: r.Claim})
		},
		func() (receipts.Record, error) {
			return handoffops.Release.On(ctx, h, "latest", receipts.ReleaseRequest{Claim: r.Claim, Why: "later"})
		},
		func() (receipts.Record, error) {
			return handoffops.Done.On(ctx, h, "7/2", receipts.DoneRequest{As: "ann"})
		},
	}
	for i, step := range steps {
		if _, err := step(); err != nil {
			t.Errorf("step %d: %v", i, err)
		}
	}
	history, err := handoffops.Receipts.On(ctx, h, "7/2", ops.None{})
	if err != nil || history.State != receipt.Done || len(history.Steps) != 5 {
		t.Errorf("%+v, %v", history, err)
	}
	if _, err := handoffops.NextClaim.On(ctx, h, "", receipts.NextRequest{As: "x"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("claimed: %v", err)
	}
	var got []feed.Type
	for e, err := range h.Events(ctx, client.Selection{From: 1, Task: new(7), Types: []feed.Type{"linked", "claimed", "done"}}) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, e.Type); e.Type == "done" {
			break
		}
	}
	if len(got) != 3 || got[0] != feed.Linked || got[1] != "claimed" {
		t.Errorf("%v", got)
	}
}

// TestHandoffsRefused: a refused handoff comes with findings; a name that would change
// the path of the request is not sent.
func TestHandoffsRefused(t *testing.T) {
	h := serve(t, "").Handoffs()
	_, err := h.New(t.Context(), 7, client.NewHandoff{Phase: 1, Slug: "x", NextAction: "Run it."})
	var refused *client.StatusError
	if !errors.As(err, &refused) || refused.Status != 422 || len(refused.Findings) == 0 || refused.Findings[0].Rule == "" || refused.Findings[0].Pointer == "" {
		t.Errorf("%v", err)
	}
	for _, ref := range []string{"", ".", ".."} {
		if _, err := handoffops.Receipts.On(t.Context(), h, ref, ops.None{}); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%q: %v", ref, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range h.Events(ctx, client.Selection{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
}
