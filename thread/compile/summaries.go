package compile

import (
	"fmt"

	"handoff/artifact"
	"handoff/bundle"
	"handoff/thread"
)

// summariesRecentMessages is the strategy for a thread with one usable summary up
// to the cut: a reference to it, and the messages after what it covers.
const summariesRecentMessages = "summaries_recent_messages_v1"

// summaryRef refers to a checkpoint's summary. If it belongs to another thread
// than the bundle's, whose numbers mean other events, the note mentions that.
func summaryRef(cp thread.SelectedCheckpoint, otherThread string) bundle.SummaryRef {
	id, _ := artifact.ParseID(cp.SummaryArtifactID) // selected checkpoints have valid ids
	note := fmt.Sprintf("compaction checkpoint to_seq=%d", cp.ToSeq)
	ref := bundle.SummaryRef{ArtifactID: id, Note: &note}
	if otherThread != "" {
		note += " of thread " + otherThread
		ref.Extra = []bundle.Field{textField("thread_id", otherThread)}
	}
	return ref
}

// maxUnusable is how many unreadable summaries are skipped: if all artifacts of a
// long thread are lost, not all of them are tried.
const maxUnusable = 8

// latest is the latest checkpoint up to an event whose summary is readable and of
// the supported kind. Unreadable ones are recorded: RIP would fail on them in every
// run until there is a newer one. After too many of them the search ends.
func (c *compiler) latest(threadID string, upTo, asOf uint64) (*thread.SelectedCheckpoint, error) {
	for c.unusable < maxUnusable {
		cp, err := c.src.Checkpoint(threadID, upTo, asOf, bundle.Cumulative)
		if err != nil || cp == nil {
			return nil, err
		}
		if ok, err := c.usable(*cp); ok || err != nil {
			return cp, err
		}
		c.reset("compaction_checkpoint", "artifact_unavailable", map[string]any{
			"checkpoint_id": cp.CheckpointID, "summary_artifact_id": cp.SummaryArtifactID, "to_seq": cp.ToSeq,
		})
		c.leftOut = append(c.leftOut, Piece{Kind: "summary", ThreadID: threadID, ID: cp.SummaryArtifactID, Seq: cp.ToSeq, Why: "its artifact cannot be read"})
		if c.unusable++; cp.ToSeq == 0 || c.unusable == maxUnusable {
			return nil, nil
		}
		upTo = cp.ToSeq - 1
	}
	return nil, nil
}
