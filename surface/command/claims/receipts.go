package claims

import (
	"fmt"
	"strings"
	"time"

	"handoff/log/receipt"
	"handoff/surface/command"
	"handoff/surface/command/operations"
	"handoff/workspace/handoffops"
	"handoff/workspace/receipts"
)

// printReceipts prints what became of a handoff, step by step.
func printReceipts(k *operations.Call, h handoffops.History) error {
	var rows [][]string
	for _, s := range h.Steps {
		rows = append(rows, []string{s.At.Format(time.RFC3339), string(s.Kind), command.Plain(s.By), tokenOf(s), command.Plain(detailsOf(s))})
	}
	return k.W.Answer(k.JSON, h, k.W.Aligned(nil, rows, 4, 2)+string(h.State)+until(h.Record)+"\n")
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
