package httpapi

import (
	"context"
	"fmt"
	"net/http"

	"handoff/artifact"
	"handoff/bundle"
	"handoff/internal/web/openapi"
	"handoff/thread"
)

// cutFields are those of a body that say where to cut.
type cutFields struct {
	FromMessageID *string `json:"from_message_id" doc:"cut after this message and its runs"`
	FromSeq       *uint64 `json:"from_seq" doc:"cut after this event; without either field, at the end"`
}

type branchInput struct {
	threadInput
	keyInput
	Body branchBody
}

type branchBody struct {
	Title *string `json:"title" doc:"ID of the new thread"`
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
	Title             *string      `json:"title" doc:"ID of the new thread"`
	SummaryMarkdown   *string      `json:"summary_markdown" doc:"summary for the successor; stored as a handoff bundle"`
	SummaryArtifactID *string      `json:"summary_artifact_id" doc:"ID of a stored handoff bundle that matches the cut"`
	Refs              *handoffRefs `json:"refs" doc:"references for the new bundle; not allowed with summary_artifact_id"`
	cutFields
	who
}

// handoffRefs are as a bundle has them.
type handoffRefs struct {
	Artifacts []artifactRef `json:"artifacts" doc:"artifacts of the workspace"`
	Files     []fileRef     `json:"files" doc:"files of the workspace"`
}

type artifactRef struct {
	ID   artifact.ID `json:"artifact_id" doc:"ID of a stored artifact" pattern:"^[0-9a-f]{64}$"`
	Note *string     `json:"note" doc:"note for readers"`
}

type fileRef struct {
	Path string  `json:"path" doc:"path relative to the workspace, with forward slashes"`
	Note *string `json:"note" doc:"note for readers"`
}

func (refs *handoffRefs) of() (artifacts []bundle.ArtifactRef, files []bundle.FileRef, err error) {
	if refs == nil {
		return nil, nil, nil
	}
	for _, a := range refs.Artifacts {
		artifacts = append(artifacts, bundle.ArtifactRef{ID: a.ID, Note: a.Note})
	}
	for i, f := range refs.Files {
		if !bundle.ValidPath(f.Path) {
			return nil, nil, &openapi.Refusal{Status: http.StatusBadRequest,
				Text: fmt.Sprintf("refs.files[%d].path: want a path relative to the workspace, with forward slashes and without . or ..", i)}
		}
		files = append(files, bundle.FileRef{Path: f.Path, Note: f.Note})
	}
	return artifacts, files, nil
}

type handedOff struct{ thread.HandoffResult }

func (h handedOff) StatusCode() int { return madeCode(h.Existed) }

func (s *Server) handOffThread(ctx context.Context, in threadHandoffInput) (handedOff, error) {
	if err := known(in.ID); err != nil {
		return handedOff{}, err
	}
	b := in.Body
	artifacts, files, err := b.Refs.of()
	if err != nil {
		return handedOff{}, err
	}
	result, err := s.Threads.Store.Handoff(ctx, in.ID, thread.HandoffRequest{
		Title: b.Title, Artifacts: artifacts, Files: files, SummaryMarkdown: b.SummaryMarkdown, SummaryArtifactID: b.SummaryArtifactID,
		FromMessageID: b.FromMessageID, FromSeq: b.FromSeq, ActorID: b.actor(), Origin: b.origin(), Key: in.Key,
	})
	return handedOff{result}, refused(err, "no such thread or artifact",
		"want the summary_artifact_id of a handoff bundle of this thread")
}
