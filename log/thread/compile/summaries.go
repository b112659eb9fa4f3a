package compile

import (
	"fmt"

	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/thread"
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
// the supported kind. An unreadable one is an error, as in RIP, or recorded and left out
// if the context may be incomplete. After too many of them the search ends.
func (c *compiler) latest(threadID string, upTo, asOf uint64) (*thread.SelectedCheckpoint, error) {
	for c.unusable < maxUnusable {
		cp, err := c.src.Checkpoint(threadID, upTo, asOf, bundle.Cumulative)
		if err != nil || cp == nil {
			return nil, err
		}
		unread := c.usable(*cp)
		if unread == nil {
			return cp, nil
		}
		err = c.lose(Piece{Kind: "summary", ThreadID: threadID, ID: cp.SummaryArtifactID, Seq: cp.ToSeq},
			thread.Reset{Input: "compaction_checkpoint", Reason: "artifact_unavailable"},
			map[string]any{"checkpoint_id": cp.CheckpointID, "summary_artifact_id": cp.SummaryArtifactID, "to_seq": cp.ToSeq}, unread)
		if err != nil {
			return nil, err
		}
		if c.unusable++; cp.ToSeq == 0 || c.unusable == maxUnusable {
			return nil, nil
		}
		upTo = cp.ToSeq - 1
	}
	return nil, nil
}
