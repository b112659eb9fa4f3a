package check

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"handoff/surface/command"
	"handoff/workspace/prove"
)

// claimsChecked is what verify --claims --json prints: see docs/schema/checks.schema.json.
type claimsChecked struct {
	Counts  map[prove.Verdict]int `json:"counts"`
	Results []prove.Result        `json:"results"`
}

// verifyClaims judges the items with a mark of how they were checked, in the newest
// document of each task.
func verifyClaims(ctx context.Context, w *command.Process, o *verifyOptions, args command.Arguments) error {
	if o.fix {
		return errors.New("--claims and --fix exclude each other: what was checked cannot be derived")
	}
	groups, _, err := verified(ctx, w, args)
	if err != nil {
		return err
	}
	all := claimsChecked{map[prove.Verdict]int{prove.Verified: 0, prove.Failed: 0, prove.Stale: 0, prove.Unverified: 0}, []prove.Result{}}
	bad := false
	var unread error
	for _, g := range groups {
		if len(g.tasks) == 0 {
			if err := g.ws.Missing(); err != nil {
				return err
			}
		}
		prover := prove.New(g.ws)
		err := prover.Newest(ctx, g.tasks, func(r prove.Result) error {
			all.Counts[r.Verdict]++
			bad = bad || r.Bad()
			r.Path = w.Shown(g.ws, r.Path)
			if o.json {
				all.Results = append(all.Results, r)
				return nil
			}
			return w.Print(claimText(r))
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		unread = errors.Join(unread, err, prover.Left())
	}
	if o.json {
		if err := command.WriteJSON(w.Stdout, all); err != nil {
			return err
		}
	}
	w.Say("%d verified, %d failed, %d stale, %d unverified", all.Counts[prove.Verified], all.Counts[prove.Failed], all.Counts[prove.Stale], all.Counts[prove.Unverified])
	if unread != nil {
		return unread
	}
	return command.Found(bad)
}

func claimText(r prove.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d: %s: %s\n  %s", command.Plain(r.Path), r.Line, r.Verdict, command.Plain(r.Text), command.Plain(r.Why))
	if r.Command != "" {
		fmt.Fprintf(&b, " (%s)", command.Plain(r.Command))
	}
	if r.Inherited && r.Command != "" {
		b.WriteString("; copied from the document before")
	}
	b.WriteByte('\n')
	for line := range strings.Lines(r.Output) {
		fmt.Fprintf(&b, "  | %s\n", command.Plain(strings.TrimRight(line, "\n")))
	}
	return b.String()
}
