package compile

import (
	"slices"

	"handoff/log/thread"
)

// hierarchicalSummaries is the strategy for a thread with several summaries up to
// the cut: references to at most three of them, and the messages after what the
// latest covers. Each covers the thread from its start, so older ones have more
// detail on the oldest part.
const hierarchicalSummaries = "hierarchical_summaries_recent_messages_v1"

// hierarchy is the latest checkpoint, the latest up to half of its reach, and so
// on; oldest first.
func (c *compiler) hierarchy(threadID string, upTo, asOf uint64, levels int) ([]thread.SelectedCheckpoint, error) {
	var selected []thread.SelectedCheckpoint
	for len(selected) < levels {
		cp, err := c.latest(threadID, upTo, asOf)
		if err != nil {
			return nil, err
		}
		if cp == nil {
			break
		}
		selected = append(selected, *cp)
		if upTo = cp.ToSeq / 2; upTo == 0 {
			break
		}
	}
	slices.Reverse(selected)
	return selected, nil
}
