package compile

import (
	"slices"

	"handoff/internal/json/jsontext"
	"handoff/log/bundle"
	"handoff/log/thread"
)

// ownStrategy is RIP's name for the selection from the thread itself.
func (c *compiler) ownStrategy() string {
	switch len(c.own.checkpoints) {
	case 0:
		return recentMessages
	case 1:
		return summariesRecentMessages
	}
	return hierarchicalSummaries
}

// strategy is ownStrategy if RIP's compiler would produce the same context.
// Otherwise it has prefixes: "base_" if something is inherited, "refs_" if there are
// references, "failed_" if an answer is marked as that of a run that failed, "anew_" if an answer is left out because the message is answered anew, "packed_" if
// something did not fit, "incomplete_" if something is lost.
func (c *compiler) strategy() string {
	name := c.ownStrategy()
	if slices.ContainsFunc(c.entries, func(e entry) bool { return e.reference }) {
		name = "refs_" + name
	}
	if slices.ContainsFunc(c.entries, func(e entry) bool { return e.inherited }) {
		name = "base_" + name
	}
	if c.failed {
		name = "failed_" + name
	}
	if c.anew {
		name = "anew_" + name
	}
	if c.packed {
		name = "packed_" + name
	}
	if slices.ContainsFunc(c.leftOut, func(p Piece) bool { return p.Lost }) {
		name = "incomplete_" + name
	}
	return name
}

// reset records an input that was not used.
func (c *compiler) reset(input, reason string, ref map[string]any) {
	raw, _ := jsontext.Marshal(ref) // texts and numbers
	c.resets = append(c.resets, thread.Reset{Input: input, Action: "ignored", Reason: reason, Ref: raw})
}

// decision is the selection for the log. Without base context, references and
// budget it has the bytes that RIP would write.
func (c *compiler) decision(by bundle.Compiler) (*thread.SelectionDecided, error) {
	d := &thread.SelectionDecided{
		RunSessionID: c.req.RunSessionID, MessageID: c.req.MessageID,
		CompilerID: by.ID, CompilerStrategy: by.Strategy,
		Checkpoints: c.keptCheckpoints(),
		ActorID:     c.req.ActorID, Origin: c.req.Origin,
	}
	if d.MessageID == "" && c.cut.messageID != nil {
		d.MessageID = *c.cut.messageID
	}
	if n := len(d.Checkpoints); n > 0 {
		d.Checkpoint = &d.Checkpoints[n-1]
	}
	reason, err := c.reason(d)
	if err != nil {
		return nil, err
	}
	limits := map[string]any{"recent_messages_v1_limit": c.req.Limits.Messages, "hierarchical_summaries_v1_max_refs": c.req.Limits.Summaries}
	if c.req.Budget > 0 {
		limits["token_budget"] = c.req.Budget
	}
	d.Resets = c.resets
	if d.Limits, err = jsontext.Marshal(limits); err != nil {
		return nil, err
	}
	d.Reason, err = jsontext.Marshal(reason)
	return d, err
}

// keptCheckpoints are the thread's own checkpoints that are in the context.
func (c *compiler) keptCheckpoints() []thread.SelectedCheckpoint {
	var kept []thread.SelectedCheckpoint
	for _, cp := range c.own.checkpoints {
		if slices.ContainsFunc(c.entries, func(e entry) bool {
			return !e.inherited && e.piece.Kind == "summary" && e.piece.Seq == cp.ToSeq
		}) {
			kept = append(kept, cp)
		}
	}
	return kept
}

// reason is RIP's reason for the thread's own part, with members for the rest.
func (c *compiler) reason(d *thread.SelectionDecided) (map[string]any, error) {
	reason := map[string]any{"selected": d.CompilerStrategy}
	switch len(c.own.checkpoints) {
	case 0:
		cause, err := c.noSummaryCause()
		if err != nil {
			return nil, err
		}
		reason["cause"] = cause
	case 1:
		reason["cause"] = "compaction_checkpoint"
	default:
		reason["cause"] = "compaction_checkpoint_hierarchy"
		toSeqs := []uint64{}
		for _, cp := range d.Checkpoints {
			toSeqs = append(toSeqs, cp.ToSeq)
		}
		reason["levels"], reason["to_seqs"] = len(toSeqs), toSeqs
	}
	if base := c.baseReason(); len(base) > 0 {
		reason["base"] = base
	}
	if c.packed {
		reason["left_out"] = c.leftOutForBudget()
	}
	return reason, nil
}

// noSummaryCause returns why no checkpoint was selected.
func (c *compiler) noSummaryCause() (string, error) {
	cp, err := c.src.Checkpoint(c.req.ThreadID, c.cut.seq, c.cut.asOf, "")
	switch {
	case err != nil:
		return "", err
	case cp == nil:
		return "no_compaction_checkpoint", nil
	case cp.SummaryKind == bundle.Cumulative:
		return "no_supported_compaction_checkpoint", nil
	}
	c.reset("compaction_checkpoint", "unsupported_summary_kind", map[string]any{"summary_kind": cp.SummaryKind})
	return "unsupported_compaction_summary_kind", nil
}
