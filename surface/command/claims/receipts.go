package claims

import (
	"context"
	"fmt"
	"strings"
	"time"

	"handoff/log/receipt"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/receipts"
)

// receiptsOptions are the options of receipts.
type receiptsOptions struct {
	json bool
}

// Receipts is the command `handoff receipts`.
func Receipts(w *command.Process) *cli.Command {
	o := new(receiptsOptions)
	return &cli.Command{
		Name:      "receipts",
		Usage:     "print what became of a handoff, step by step",
		UsageText: "handoff receipts" + command.ClaimedHelp,
		Flags:     []cli.Flag{&cli.BoolFlag{Name: "json", Destination: &o.json, Usage: "print JSON: the state of the handoff, and its steps"}},
		Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
			return runReceipts(c.Context, w, o, ws, command.ArgsOf(c))
		}),
	}
}

func runReceipts(ctx context.Context, w *command.Process, o *receiptsOptions, ws *workspace.Workspace, args command.Arguments) error {
	b, t, err := bookFor(w, ws, "receipts", args)
	if err != nil {
		return err
	}
	r, life, err := b.Life(ctx, t)
	if err != nil {
		return command.SayRefused(w, err)
	}
	var rows [][]string
	for _, s := range life.Recorded() {
		rows = append(rows, []string{s.At.Format(time.RFC3339), string(s.Kind), command.Plain(s.By), tokenOf(s), command.Plain(detailsOf(s))})
	}
	text := w.Aligned(nil, rows, 4, 2) + string(r.State) + until(r) + "\n"
	return w.Answer(o.json, struct {
		receipts.Record
		Steps []receipt.Step `json:"steps"`
	}{r, append([]receipt.Step{}, life.Recorded()...)}, text)
}

func tokenOf(s receipt.Step) string {
	if s.Token == 0 {
		return "-"
	}
	return fmt.Sprint(s.Token)
}

func detailsOf(s receipt.Step) string {
	var parts []string
	if !s.Until.IsZero() {
		parts = append(parts, "until "+s.Until.Format(time.RFC3339))
	}
	if s.Took != "" {
		parts = append(parts, "by force")
	}
	if s.Why != "" {
		parts = append(parts, s.Why)
	}
	if s.Matched {
		parts = append(parts, "first action matched")
	}
	if s.Evidence != nil {
		parts = append(parts, s.Evidence.String())
	}
	if s.Next != "" {
		parts = append(parts, "by "+s.Next)
	}
	return strings.Join(parts, "; ")
}

// until formats the holder of a handoff and when its lease ends.
func until(r receipts.Record) string {
	switch {
	case r.State == receipt.Claimed:
		return fmt.Sprintf(" by %s until %s", command.Plain(r.By), r.Until.Format(time.RFC3339))
	case r.State == receipt.Waiting:
		return ""
	}
	return " since " + r.Since.Format(time.RFC3339)
}
