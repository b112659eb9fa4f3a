package httpapi

import (
	"context"

	"handoff/thread"
)

// cutFields are those of a body that say where to cut.
type cutFields struct {
	FromMessageID *string `json:"from_message_id" doc:"cut behind this message and the runs that were started for it"`
	FromSeq       *uint64 `json:"from_seq" doc:"cut behind this event; with neither at the end"`
}

type branchInput struct {
	threadInput
	keyInput
	Body branchBody
}

type branchBody struct {
	Title *string `json:"title" doc:"of the new thread"`
	cutFields
	who
}

type branched struct{ thread.BranchResult }

func (b branched) StatusCode() int { return madeCode(b.Existed) }

func (s *Server) branchThread(ctx context.Context, in branchInput) (branched, error) {
	if err := known(in.ID); err != nil {
		return branched{}, err
	}
	b := in.Body
	result, err := s.Threads.Store.Branch(ctx, in.ID, thread.BranchRequest{
		Title: b.Title, FromMessageID: b.FromMessageID, FromSeq: b.FromSeq, ActorID: b.actor(), Origin: b.origin(), Key: in.Key,
	})
	return branched{result}, refused(err, "", badTitle)
}

type threadHandoffInput struct {
	threadInput
	keyInput
	Body threadHandoffBody
}

type threadHandoffBody struct {
	Title             *string `json:"title" doc:"of the new thread"`
	SummaryMarkdown   *string `json:"summary_markdown" doc:"what the successor must know; a bundle is made of it"`
	SummaryArtifactID *string `json:"summary_artifact_id" doc:"a handoff bundle that is stored already, and fits the cut"`
	cutFields
	who
}

type handedOff struct{ thread.HandoffResult }

func (h handedOff) StatusCode() int { return madeCode(h.Existed) }

func (s *Server) handOffThread(ctx context.Context, in threadHandoffInput) (handedOff, error) {
	if err := known(in.ID); err != nil {
		return handedOff{}, err
	}
	b := in.Body
	result, err := s.Threads.Store.Handoff(ctx, in.ID, thread.HandoffRequest{
		Title: b.Title, SummaryMarkdown: b.SummaryMarkdown, SummaryArtifactID: b.SummaryArtifactID,
		FromMessageID: b.FromMessageID, FromSeq: b.FromSeq, ActorID: b.actor(), Origin: b.origin(), Key: in.Key,
	})
	return handedOff{result}, refused(err, "there is no such thread, or no such artifact",
		"want the summary_artifact_id of a handoff bundle of this thread")
}
