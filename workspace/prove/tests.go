package prove

import (
	"context"
	"fmt"

	"handoff/internal/file/gitindex"
	"handoff/internal/text/shellword"
	"handoff/workspace"
)

const testsLabel = "Tests"

// Tests are lines for the current state of a new document: how the test commands of the
// configuration end now. One that succeeds carries its mark, so that `verify --claims` runs
// it again. If the user has not trusted the workspace, none is run, and a line says so.
func Tests(ctx context.Context, ws *workspace.Workspace) (lines []string, err error) {
	if len(ws.Config.Checks.Tests) == 0 {
		return nil, nil
	}
	if refused := ws.MayAct(); refused != nil {
		ws.SayOnce("the commands of checks.tests were not run: " + refused.Error())
		return nil, nil
	}
	p := New(ws)
	for _, command := range ws.Config.Checks.Tests {
		line, err := p.test(ctx, command)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func (p *Prover) test(ctx context.Context, command []string) (string, error) {
	o := p.exec(ctx, p, command)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	text := shellword.Join(command...)
	sums := ""
	if t, unit, ok := totalsOf(o.all); ok {
		sums = fmt.Sprintf(": %s (%s)", t, unit)
	}
	if o.err != nil {
		return fmt.Sprintf("- **%s**: `%s` fails, %v%s", testsLabel, text, o.err, sums), nil
	}
	return fmt.Sprintf("- **%s**: `%s` succeeds%s [verified: %[2]s%[4]s]", testsLabel, text, sums, p.at(ctx)), nil
}

// at is the commit on which a command was run, " @1a2b3c4d5e"; "" if the working tree
// differs from the commit.
func (p *Prover) at(ctx context.Context) string {
	state, err := gitindex.Current(ctx, p.ws.Root)
	if err != nil || state.Commit == "" {
		return ""
	}
	if len(Uncommitted(state)) > 0 {
		return ""
	}
	return " @" + state.Commit[:min(shortID, len(state.Commit))]
}
