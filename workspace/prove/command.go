package prove

import (
	"context"
	"time"

	"handoff/internal/text/shellword"
	"handoff/log/receipt"
	"handoff/workspace"
)

// Command runs a command in the root of the workspace, as `verify --claims` runs one: without a
// shell and without the user's tokens. It may take as long as the configuration allows, and atLeast
// this. output is the end of what it printed if it failed. The caller knows that the user wants it to run.
func Command(ctx context.Context, ws *workspace.Workspace, words []string, atLeast time.Duration) (c receipt.Check, output string, err error) {
	p := New(ws)
	p.atLeast = atLeast
	o := run(ctx, p, words)
	if ctx.Err() != nil {
		return c, "", ctx.Err()
	}
	c.Command = shellword.Join(words...)
	if o.err != nil {
		c.Exit, c.Why = o.exit, o.err.Error()
	}
	return c, o.output, nil
}
