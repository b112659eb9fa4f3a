package client

import (
	"context"
	"encoding/json"
	"fmt"

	"handoff/log/bundle"
	"handoff/log/thread/compile"
	"handoff/workspace/threads"
)

// Compile compiles the context of a thread up to a cut, and stores its bundle on
// the server if requested. The result has no decision.
func (c *Client) Compile(ctx context.Context, id string, r threads.CompileRequest) (compile.Result, error) {
	type answer struct {
		Bundle      string              `json:"bundle_artifact_id"`
		Context     json.RawMessage     `json:"context"`
		Explanation compile.Explanation `json:"explanation"`
	}
	a, err := call[answer](ctx, c, "POST", []string{"threads", id, "compile"}, r)
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
