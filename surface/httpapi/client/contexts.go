package client

import (
	"context"
	"encoding/json"
	"fmt"

	"handoff/bundle"
	"handoff/thread/compile"
)

// Compile makes the context of a cut through a thread there, and stores its
// bundle there if it is to. Limits are the server's, and the decision stays
// with it. RIP has no such route.
func (c *Client) Compile(ctx context.Context, r compile.Request, store bool) (compile.Result, error) {
	type answer struct {
		Bundle      string              `json:"bundle_artifact_id"`
		Context     json.RawMessage     `json:"context"`
		Explanation compile.Explanation `json:"explanation"`
	}
	a, err := post[answer](ctx, c, r.ThreadID, "compile", compileRequest(r, store), "")
	if err != nil {
		return compile.Result{}, err
	}
	b, err := bundle.ParseContext(a.Context)
	if err != nil {
		return compile.Result{}, fmt.Errorf("the server's answer contains no context: %w", err)
	}
	if got := b.ID().String(); got != a.Bundle {
		return compile.Result{}, fmt.Errorf("the server's context has the ID %s, but the server reports %s", got, a.Bundle)
	}
	return compile.Result{Bundle: b, Explanation: a.Explanation}, nil
}

// compileRequest is the body of a request: what is not asked for is left out.
func compileRequest(r compile.Request, store bool) any {
	body := struct {
		MessageID *string `json:"message_id,omitempty"`
		FromSeq   *uint64 `json:"from_seq,omitempty"`
		Budget    *int    `json:"budget,omitempty"`
		Refs      bool    `json:"refs"`
		Base      bool    `json:"base"`
		Store     bool    `json:"store"`
		ActorID   string  `json:"actor_id,omitempty"`
		Origin    string  `json:"origin,omitempty"`
	}{FromSeq: r.Seq, Refs: r.Refs, Base: r.Base, Store: store, ActorID: r.ActorID, Origin: r.Origin}
	if r.MessageID != "" {
		body.MessageID = &r.MessageID
	}
	if r.Budget != 0 {
		body.Budget = &r.Budget
	}
	return body
}
