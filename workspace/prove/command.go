package prove

import (
	"context"

	"handoff/internal/text/shellword"
	"handoff/receipt"
	"handoff/workspace"
)

// Command runs a command in the root of the workspace, as `verify --claims` runs one: without a
// shell, with the time limit of the configuration and without the user's tokens. output is the end
// of what it printed if it failed. The caller knows that the user wants it to run.
func Command(ctx context.Context, ws *workspace.Workspace, words []string) (c receipt.Check, output string, err error) {
	o := run(ctx, New(ws), words)
	if ctx.Err() != nil {
		return c, "", ctx.Err()
	}
	c.Command = shellword.Join(words...)
	if o.err != nil {
		c.Exit, c.Why = o.exit, o.err.Error()
	}
	return c, o.output, nil
}
